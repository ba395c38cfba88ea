// Device memory, host memory that the device can access, and copies. Includes no CUDA header.
//
// Not thread-safe. A buffer owns its bytes, on the device that was current at Allocate. Buffers can
// be moved but not copied. Every buffer starts at a multiple of 256 bytes. Allocating and freeing
// may wait for all work on the device: do it when a model is loaded, not in a decoding step.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer() { Free(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  // Frees the old bytes and allocates new ones with undefined contents. On an error the buffer is
  // empty. 0 bytes are no error: data() is then nullptr.
  Error Allocate(int64_t bytes);
  void Free();

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

// Page-locked host memory that both sides can access: the host at host(), the device at device().
// Events or fences decide when one side sees what the other has written.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  ~PinnedBuffer() { Free(); }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : host_(std::exchange(other.host_, nullptr)),
        device_(std::exchange(other.device_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(device_, other.device_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  // Like DeviceBuffer::Allocate, but sets all bytes to zero.
  Error Allocate(int64_t bytes);
  void Free();

  void* host() const { return host_; }
  void* device() const { return device_; }
  int64_t bytes() const { return bytes_; }

 private:
  void* host_ = nullptr;
  void* device_ = nullptr;
  int64_t bytes_ = 0;
};

// Copies in order with the stream's kernels, between any of host and device memory. If the host
// memory is pinned, returns at once; otherwise returns when it no longer needs the host memory.
Error Copy(Stream stream, void* to, const void* from, int64_t bytes);

// Sets every byte of device memory to `value`, in order with the stream's kernels.
Error Fill(Stream stream, void* to, uint8_t value, int64_t bytes);

}  // namespace dragoman::kernels::cuda
