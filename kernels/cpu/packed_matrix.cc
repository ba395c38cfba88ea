#include "kernels/cpu/packed_matrix.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace dragoman::cpu {

FloatBuffer AllocateFloats(size_t count) {
  constexpr size_t kLarge = size_t{2} << 20;
  const size_t bytes = std::max<size_t>(count * sizeof(float), 1);
  const size_t alignment = bytes >= kLarge ? kLarge : 64;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  auto* p = static_cast<float*>(std::aligned_alloc(alignment, rounded));
  if (p == nullptr) throw std::bad_alloc();
  // Fewer TLB misses while weights stream through; a refusal changes nothing.
  if (alignment == kLarge) madvise(p, rounded, MADV_HUGEPAGE);
  return FloatBuffer(p);
}

PackedMatrix::PackedMatrix(const float* weight, const float* bias, int64_t n, int64_t k,
                           float bias_padding)
    : n_(n), k_(k), padded_n_((n + kPanelStep - 1) / kPanelStep * kPanelStep) {
  data_ = AllocateFloats(static_cast<size_t>(padded_n_ * k));
  bias_ = AllocateFloats(static_cast<size_t>(padded_n_));
  for (int64_t c = 0; c < padded_n_; ++c) {
    bias_.get()[c] = c >= n ? bias_padding : bias == nullptr ? 0.0F : bias[c];
  }
  for (int64_t column = 0; column < n; column += kPanelWidth) {
    const int64_t width = std::min<int64_t>(kPanelWidth, padded_n_ - column);
    float* panel = data_.get() + column * k;
    for (int64_t c = 0; c < width; ++c) {
      for (int64_t i = 0; i < k; ++i) {
        panel[i * width + c] = column + c < n ? weight[(column + c) * k + i] : 0.0F;
      }
    }
  }
}

}  // namespace dragoman::cpu
