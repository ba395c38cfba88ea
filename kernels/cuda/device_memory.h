// Memory of the device, memory of the host that the device reads and writes too, and copies. Free
// of CUDA's headers.
//
// Not thread-safe. A buffer owns its bytes, on the device that was current when it was allocated;
// it moves, and does not copy. All starts are aligned to 256 bytes. Allocating and freeing may wait
// for the whole device: at load, not in a step.
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

  // Frees what was held; the contents are undefined. On an error the buffer is empty. No bytes are
  // no error: data() is nullptr then.
  Error Allocate(int64_t bytes);
  void Free();

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

// Page-locked memory of the host, at host() for the host and at device() for the device. What one
// side sees of the other's writes, and when, is for events or fences to say.
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

  // Allocates like DeviceBuffer; the bytes are zero.
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

// On the stream, in order with its kernels, whichever side `to` and `from` are on. With pinned host
// memory it returns at once; with any other, when it is done with the host's bytes.
Error Copy(Stream stream, void* to, const void* from, int64_t bytes);

// Every byte of device memory becomes `value`, in order with the stream's kernels.
Error Fill(Stream stream, void* to, uint8_t value, int64_t bytes);

}  // namespace dragoman::kernels::cuda
