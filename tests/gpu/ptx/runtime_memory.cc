// The CUDA runtime: memory of the device and of the host that the device sees.
#include <cuda_runtime_api.h>

#include <cstring>
#include <mutex>
#include <new>

#include "tests/gpu/ptx/capture.h"
#include "tests/gpu/ptx/device.h"

namespace {

using dragoman::ptx::ByteState;
using dragoman::ptx::Device;
using dragoman::ptx::Piece;

constexpr size_t kHostAlignment = 4096;

// Bytes that the device knows as its own, or nullptr for those of the host alone. False: a piece of the
// device is too small.
bool FindPiece(Device& device, const void* address, size_t bytes, Piece** piece, size_t* offset) {
  const auto at = reinterpret_cast<uint64_t>(address);
  *piece = device.memory().Find(at);
  if (*piece == nullptr) return true;
  *offset = at - (*piece)->address();
  return (*piece)->Holds(*offset, bytes);
}

cudaError_t Copy(void* to, const void* from, size_t bytes) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  if (device.lasting_error() != cudaSuccess) return device.Note(device.lasting_error());
  Piece* source = nullptr;
  Piece* destination = nullptr;
  size_t at = 0;
  if (!FindPiece(device, from, bytes, &source, &at)) return device.Note(cudaErrorInvalidValue);
  if (source != nullptr) from = source->bytes() + at;
  if (!FindPiece(device, to, bytes, &destination, &at)) return device.Note(cudaErrorInvalidValue);
  if (destination != nullptr) to = destination->bytes() + at;
  std::memmove(to, from, bytes);
  if (destination != nullptr) destination->Mark(at, bytes, ByteState::kData);
  return cudaSuccess;
}

cudaError_t Set(void* to, int value, size_t bytes) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  if (device.lasting_error() != cudaSuccess) return device.Note(device.lasting_error());
  Piece* destination = nullptr;
  size_t at = 0;
  if (!FindPiece(device, to, bytes, &destination, &at) || destination == nullptr) {
    return device.Note(cudaErrorInvalidValue);
  }
  std::memset(destination->bytes() + at, value, bytes);
  destination->Mark(at, bytes, ByteState::kData);
  return cudaSuccess;
}

cudaError_t Release(const void* address) {
  if (address == nullptr) return cudaSuccess;
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  return device.memory().Free(reinterpret_cast<uint64_t>(address))
             ? cudaSuccess
             : device.Note(cudaErrorInvalidValue);
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** address, size_t bytes) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  *address = nullptr;
  // No capture may hold an allocation.
  if (dragoman::ptx::Capturing() != nullptr) {
    return device.Note(cudaErrorStreamCaptureUnsupported);
  }
  if (device.lasting_error() != cudaSuccess) return device.Note(device.lasting_error());
  if (bytes == 0) return cudaSuccess;
  if (bytes > Device::kTotalBytes - device.memory().allocated_bytes()) {
    return device.Note(cudaErrorMemoryAllocation);
  }
  *address = reinterpret_cast<void*>(device.memory().Allocate(bytes).address());
  return cudaSuccess;
}

cudaError_t cudaFree(void* address) { return Release(address); }

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned /*flags*/) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  *address = ::operator new (bytes, std::align_val_t{kHostAlignment});
  // The host writes it without a word to the device.
  device.memory().Map(*address, bytes);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* address) {
  const cudaError_t released = Release(address);
  if (released == cudaSuccess) ::operator delete (address, std::align_val_t{kHostAlignment});
  return released;
}

cudaError_t cudaHostGetDevicePointer(void** device_address, void* host_address,
                                     unsigned /*flags*/) {
  *device_address = host_address;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/) {
  return Copy(to, from, bytes);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t /*stream*/) {
  return dragoman::ptx::DoOrCapture([=] { return Copy(to, from, bytes); });
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) { return Set(to, value, bytes); }
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t /*stream*/) {
  return dragoman::ptx::DoOrCapture([=] { return Set(to, value, bytes); });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  *total_bytes = Device::kTotalBytes;
  *free_bytes = Device::kTotalBytes - device.memory().allocated_bytes();
  return cudaSuccess;
}

}  // extern "C"
