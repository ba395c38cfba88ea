#include "kernels/cuda/device_memory.h"

#include <cstring>

#include "kernels/cuda/checked.h"

namespace dragoman::kernels::cuda {

Error DeviceBuffer::Allocate(int64_t bytes) {
  Free();
  if (bytes <= 0) return Error::kNone;
  const Error error = Checked(cudaMalloc(&data_, static_cast<size_t>(bytes)));
  if (error != Error::kNone) {
    data_ = nullptr;
    return error;
  }
  bytes_ = bytes;
  return Error::kNone;
}

// Ignores errors: only a lost device fails to free, and its error was already reported.
void DeviceBuffer::Free() {
  if (data_ != nullptr) static_cast<void>(Checked(cudaFree(data_)));
  data_ = nullptr;
  bytes_ = 0;
}

Error PinnedBuffer::Allocate(int64_t bytes) {
  Free();
  if (bytes <= 0) return Error::kNone;
  // cudaHostAllocPortable, because the threads of the encoder and the decoder may use different
  // devices.
  Error error = Checked(cudaHostAlloc(&host_, static_cast<size_t>(bytes),
                                      cudaHostAllocMapped | cudaHostAllocPortable));
  if (error != Error::kNone) {
    host_ = nullptr;
    return error;
  }
  error = Checked(cudaHostGetDevicePointer(&device_, host_, 0));
  if (error != Error::kNone) {
    Free();
    return error;
  }
  bytes_ = bytes;
  std::memset(host_, 0, static_cast<size_t>(bytes));
  return Error::kNone;
}

void PinnedBuffer::Free() {
  if (host_ != nullptr) static_cast<void>(Checked(cudaFreeHost(host_)));
  host_ = nullptr;
  device_ = nullptr;
  bytes_ = 0;
}

Error Copy(Stream stream, void* to, const void* from, int64_t bytes) {
  if (bytes <= 0) return Error::kNone;
  return Checked(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault, stream));
}

Error Fill(Stream stream, void* to, uint8_t value, int64_t bytes) {
  if (bytes <= 0) return Error::kNone;
  return Checked(cudaMemsetAsync(to, value, static_cast<size_t>(bytes), stream));
}

}  // namespace dragoman::kernels::cuda
