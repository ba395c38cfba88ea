// Atomic operations on numbers that several threads share, on a host or a device.
#pragma once

#include <cstdint>

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

#include "kernels/base/host_device.h"

namespace dragoman::kernels {

// Adds `value` to a shared counter. Returns the counter's old value.
DRAGOMAN_HD inline int32_t AtomicAdd(int32_t& counter, int32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(&counter, value);
#else
  return std::atomic_ref<int32_t>(counter).fetch_add(value, std::memory_order_relaxed);
#endif
}

// Adds `value` to a shared sum.
DRAGOMAN_HD inline void AtomicAdd(uint64_t& sum, uint64_t value) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(unsigned long long) == sizeof(uint64_t));
  atomicAdd(reinterpret_cast<unsigned long long*>(&sum), value);  // NOLINT(google-runtime-int)
#else
  std::atomic_ref<uint64_t>(sum).fetch_add(value, std::memory_order_relaxed);
#endif
}

// Writes a number that other threads may write at the same time.
DRAGOMAN_HD inline void AtomicStore(float& to, float value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile float*>(&to) = value;
#else
  std::atomic_ref<float>(to).store(value, std::memory_order_relaxed);
#endif
}

// Adds `value` to `counter` if the sum is at most `limit`. Returns the counter's old value, or -1
// if nothing was added.
DRAGOMAN_HD inline int32_t AtomicAddWithin(int32_t& counter, int32_t value, int32_t limit) {
#if defined(__CUDA_ARCH__)
  int32_t before = *static_cast<volatile int32_t*>(&counter);
  while (before + value <= limit) {
    const int32_t seen = atomicCAS(&counter, before, before + value);
    if (seen == before) return before;
    before = seen;
  }
#else
  std::atomic_ref<int32_t> shared(counter);
  int32_t before = shared.load(std::memory_order_relaxed);
  while (before + value <= limit) {
    if (shared.compare_exchange_weak(before, before + value, std::memory_order_relaxed)) {
      return before;
    }
  }
#endif
  return -1;
}

}  // namespace dragoman::kernels
