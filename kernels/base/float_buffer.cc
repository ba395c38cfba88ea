#include "kernels/base/float_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace dragoman::kernels::cpu {

FloatBuffer AllocateFloats(size_t count) {
  constexpr size_t kLarge = size_t{2} << 20;
  const size_t bytes = std::max<size_t>(count * sizeof(float), 1);
  const size_t alignment = bytes >= kLarge ? kLarge : 64;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  auto* p = static_cast<float*>(std::aligned_alloc(alignment, rounded));
  if (p == nullptr) throw std::bad_alloc();
  // Reduces TLB misses while weights are read. A failure is harmless.
  if (alignment == kLarge) madvise(p, rounded, MADV_HUGEPAGE);
  return FloatBuffer(p);
}

}  // namespace dragoman::kernels::cpu
