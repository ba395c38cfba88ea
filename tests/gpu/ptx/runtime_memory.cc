// The CUDA runtime: device memory, and host memory that the device sees.
#include <cuda_runtime_api.h>

#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/ptx/calls.h"
#include "tests/gpu/ptx/capture.h"
#include "tests/gpu/ptx/device.h"
#include "tests/gpu/ptx/host_operation.h"

namespace {

using dragoman::ptx::Call;
using dragoman::ptx::Called;
using dragoman::ptx::CallKind;
using dragoman::ptx::Device;
using dragoman::ptx::HostOperation;
using dragoman::ptx::Piece;
using dragoman::ptx::Work;

constexpr size_t kHostAlignment = 4096;

// Whether the device knows the address. `fits`: whether all bytes are within one piece.
bool IsOfDevice(const void* address, size_t bytes, bool* fits) {
  const auto at = reinterpret_cast<uint64_t>(address);
  Piece* const piece = Device::Get().memory().Find(at);
  *fits = piece == nullptr || piece->Holds(at - piece->address(), bytes);
  return piece != nullptr;
}

void CopyNow(void* to, const void* from, size_t bytes, bool to_device, bool from_device) {
  HostOperation operation(Device::Get(), "a copy");
  const void* const source = from_device ? operation.Read(from, bytes, "the source") : from;
  void* const target = to_device ? operation.Write(to, bytes, "the destination") : to;
  if (operation.ok()) {
    std::memmove(target, source, bytes);
  } else {
    Device::Get().Fail(cudaErrorIllegalAddress);
  }
}

// Host memory that the device does not see is read during the call and written before it returns.
// In a graph, this happens when the graph runs.
cudaError_t Copy(cudaStream_t stream, void* to, const void* from, size_t bytes, bool waits) {
  bool from_device = false;
  bool to_device = false;
  {
    Device& device = Device::Get();
    const std::lock_guard lock(device.mutex());
    bool fits = true;
    from_device = IsOfDevice(from, bytes, &fits);
    if (!fits) return device.Note(cudaErrorInvalidValue);
    to_device = IsOfDevice(to, bytes, &fits);
    if (!fits) return device.Note(cudaErrorInvalidValue);
  }
  const bool captures = dragoman::ptx::Captures(dragoman::ptx::NumberOf(stream));
  Work work;
  work.name = from_device && to_device ? "a copy on the device" : "a copy";
  if (!from_device && !captures) {
    const auto* const first = static_cast<const uint8_t*>(from);
    work.act = [to, to_device, held = std::vector<uint8_t>(first, first + bytes)] {
      CopyNow(to, held.data(), held.size(), to_device, false);
    };
  } else {
    work.act = [=] { CopyNow(to, from, bytes, to_device, from_device); };
  }
  const cudaError_t error = dragoman::ptx::Put(stream, std::move(work));
  if (error != cudaSuccess || captures || (!waits && to_device)) return error;
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  const uint32_t number = dragoman::ptx::NumberOf(stream);
  device.order().Wait(device.order().PlaceOf(number), device.order().ClockOf(number));
  return device.Note(device.lasting_error(Device::Current()));
}

cudaError_t Set(cudaStream_t stream, void* to, int value, size_t bytes) {
  {
    Device& device = Device::Get();
    const std::lock_guard lock(device.mutex());
    bool fits = true;
    if (!IsOfDevice(to, bytes, &fits) || !fits) return device.Note(cudaErrorInvalidValue);
  }
  Work work;
  work.name = "a fill with " + std::to_string(value);
  work.act = [=] {
    HostOperation operation(Device::Get(), "a fill");
    uint8_t* const target = operation.Write(to, bytes, "the destination");
    if (target != nullptr) {
      std::memset(target, value, bytes);
    } else {
      Device::Get().Fail(cudaErrorIllegalAddress);
    }
  };
  return dragoman::ptx::Put(stream, std::move(work));
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** address, size_t bytes) {
  return dragoman::ptx::Called(
      {.function = "cudaMalloc", .kind = CallKind::kAllocate, .bytes = bytes}, [&](Device& device) {
        const std::lock_guard lock(device.mutex());
        const int current = Device::Current();
        *address = nullptr;
        if (bytes == 0) return cudaSuccess;
        if (bytes > Device::kTotalBytes - device.memory().allocated_bytes(current)) {
          return device.Note(cudaErrorMemoryAllocation);
        }
        *address = reinterpret_cast<void*>(device.memory().Allocate(bytes, current).address());
        return cudaSuccess;
      });
}

cudaError_t cudaFree(void* address) {
  return dragoman::ptx::Called(
      {.function = "cudaFree", .kind = CallKind::kRelease, .memory = address}, [&](Device& device) {
        const std::lock_guard lock(device.mutex());
        device.memory().Free(reinterpret_cast<uint64_t>(address));
        return cudaSuccess;
      });
}

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned /*flags*/) {
  return dragoman::ptx::Called(
      {.function = "cudaHostAlloc", .kind = CallKind::kAllocate, .bytes = bytes},
      [&](Device& device) {
        const std::lock_guard lock(device.mutex());
        *address = ::operator new (bytes, std::align_val_t{kHostAlignment});
        // The host writes this memory without telling the device, so all of it counts as written.
        device.memory().Map(*address, bytes);
        return cudaSuccess;
      });
}

cudaError_t cudaFreeHost(void* address) {
  return dragoman::ptx::Called(
      {.function = "cudaFreeHost", .kind = CallKind::kRelease, .memory = address},
      [&](Device& device) {
        const std::lock_guard lock(device.mutex());
        if (device.memory().Free(reinterpret_cast<uint64_t>(address))) {
          ::operator delete (address, std::align_val_t{kHostAlignment});
        }
        return cudaSuccess;
      });
}

cudaError_t cudaHostGetDevicePointer(void** device_address, void* host_address,
                                     unsigned /*flags*/) {
  return dragoman::ptx::Called({.function = "cudaHostGetDevicePointer"}, [&](Device&) {
    *device_address = host_address;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/) {
  return dragoman::ptx::Called({.function = "cudaMemcpy",
                                .kind = CallKind::kWait,
                                .stream = nullptr,
                                .memory = to,
                                .other_memory = from,
                                .bytes = bytes},
                               [&](Device&) { return Copy(nullptr, to, from, bytes, true); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t stream) {
  return dragoman::ptx::Called({.function = "cudaMemcpyAsync",
                                .kind = CallKind::kWork,
                                .stream = stream,
                                .memory = to,
                                .other_memory = from,
                                .bytes = bytes},
                               [&](Device&) { return Copy(stream, to, from, bytes, false); });
}
// cudaMemset of device memory does not wait either.
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return dragoman::ptx::Called({.function = "cudaMemset",
                                .kind = CallKind::kWork,
                                .stream = nullptr,
                                .memory = to,
                                .bytes = bytes},
                               [&](Device&) { return Set(nullptr, to, value, bytes); });
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return dragoman::ptx::Called({.function = "cudaMemsetAsync",
                                .kind = CallKind::kWork,
                                .stream = stream,
                                .memory = to,
                                .bytes = bytes},
                               [&](Device&) { return Set(stream, to, value, bytes); });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return dragoman::ptx::Called({.function = "cudaMemGetInfo"}, [&](Device& device) {
    const std::lock_guard lock(device.mutex());
    *total_bytes = Device::kTotalBytes;
    *free_bytes = Device::kTotalBytes - device.memory().allocated_bytes(Device::Current());
    return cudaSuccess;
  });
}

}  // extern "C"
