#include "kernels/cpu/packed_matrix.h"

#include <algorithm>

namespace dragoman::cpu {

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
