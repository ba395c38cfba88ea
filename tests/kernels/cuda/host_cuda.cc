// Replaces the library's device memory and streams by the host's, for tests of the host code above
// them. A launch has finished when it returns.
#include "tests/kernels/cuda/host_cuda.h"

#include <cstdlib>
#include <cstring>

#include "kernels/cuda/device.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/stream.h"

namespace dragoman::kernels::cuda {
namespace {

Error wait_result = Error::kNone;
int64_t held_bytes = 0;

void* Take(int64_t bytes) {
  held_bytes += bytes;
  return std::aligned_alloc(256, static_cast<size_t>((bytes + 255) / 256 * 256));
}

}  // namespace

void FailWaits(Error error) { wait_result = error; }

int64_t HeldBytes() { return held_bytes; }

const char* ErrorText(Error error) { return error == Error::kNone ? "no error" : "a test's error"; }

int DeviceCount(std::string*) { return 1; }

Error DeviceBuffer::Allocate(int64_t bytes) {
  Free();
  data_ = Take(bytes);
  bytes_ = bytes;
  return Error::kNone;
}

void DeviceBuffer::Free() {
  held_bytes -= bytes_;
  std::free(data_);
  data_ = nullptr;
  bytes_ = 0;
}

Error PinnedBuffer::Allocate(int64_t bytes) {
  Free();
  host_ = Take(bytes);
  device_ = host_;
  bytes_ = bytes;
  return Error::kNone;
}

void PinnedBuffer::Free() {
  held_bytes -= bytes_;
  std::free(host_);
  host_ = nullptr;
  device_ = nullptr;
  bytes_ = 0;
}

Error Copy(Stream, void* to, const void* from, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
  return Error::kNone;
}

Error Fill(Stream, void* to, uint8_t value, int64_t bytes) {
  std::memset(to, value, static_cast<size_t>(bytes));
  return Error::kNone;
}

Error OwnedStream::Create(StreamPriority) { return Error::kNone; }
Error OwnedStream::Wait() const { return wait_result; }
void OwnedStream::Destroy() {}

}  // namespace dragoman::kernels::cuda
