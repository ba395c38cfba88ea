#include "kernels/cpu/packed_matrix.h"

#include <algorithm>
#include <vector>

#include "kernels/base/matrix_rows.h"
#include "kernels/cpu/parallel.h"

namespace dragoman::kernels::cpu {
namespace {

int64_t PaddedColumns(int64_t n) { return (n + kPanelStep - 1) / kPanelStep * kPanelStep; }

}  // namespace

PackedMatrix::PackedMatrix(OpContext& context, const MatrixRows& weight, const float* bias,
                           int64_t n, int64_t k, float bias_padding)
    : n_(n), k_(k), padded_n_(PaddedColumns(n)), bias_padding_(bias_padding) {
  data_ = AllocateFloats(static_cast<size_t>(padded_n_ * k));
  bias_ = AllocateFloats(static_cast<size_t>(padded_n_));
  for (int64_t c = 0; c < padded_n_; ++c) {
    bias_.get()[c] = c >= n ? bias_padding : bias == nullptr ? 0.0F : bias[c];
  }
  ParallelFor(context, panels(), kPanelWidth * k, [&](int64_t begin, int64_t end, int /*thread*/) {
    std::vector<float> rows(static_cast<size_t>(kPanelWidth * k));
    for (int64_t column = begin * kPanelWidth; column < std::min(end * kPanelWidth, n);
         column += kPanelWidth) {
      const int64_t count = std::min<int64_t>(kPanelWidth, n - column);
      weight.Read(column, count, rows.data());
      std::fill(rows.begin() + count * k, rows.end(), 0.0F);
      const int64_t width = std::min<int64_t>(kPanelWidth, padded_n_ - column);
      float* panel = data_.get() + column * k;
      for (int64_t i = 0; i < k; ++i) {
        for (int64_t c = 0; c < width; ++c) {
          panel[i * width + c] = rows[static_cast<size_t>(c * k + i)];
        }
      }
    }
  });
}

int64_t PackedMatrix::BytesOf(int64_t n, int64_t k) {
  return PaddedColumns(n) * (k + 1) * static_cast<int64_t>(sizeof(float));
}

size_t PackedMatrix::SelectedFloats(int64_t count) const {
  return static_cast<size_t>(PaddedColumns(count) * (k_ + 1));
}

PackedMatrix::View PackedMatrix::Selected(const float* memory, int64_t count) const {
  return {memory, memory + PaddedColumns(count) * k_, count};
}

void PackedMatrix::Select(const int32_t* ids, int64_t count, float* memory) const {
  const int64_t padded = PaddedColumns(count);
  float* const bias = memory + padded * k_;
  for (int64_t column = 0; column < padded; ++column) {
    const int64_t panel = column / kPanelWidth * kPanelWidth;
    const int64_t width = std::min<int64_t>(kPanelWidth, padded - panel);
    float* const to = memory + panel * k_ + (column - panel);
    bias[column] = column < count ? bias_.get()[ids[column]] : bias_padding_;
    if (column >= count) {
      for (int64_t i = 0; i < k_; ++i) to[i * width] = 0.0F;
      continue;
    }
    const int64_t from_panel = ids[column] / kPanelWidth * kPanelWidth;
    const int64_t from_width = std::min<int64_t>(kPanelWidth, padded_n_ - from_panel);
    const float* const from = data_.get() + from_panel * k_ + (ids[column] - from_panel);
    for (int64_t i = 0; i < k_; ++i) to[i * width] = from[i * from_width];
  }
}

void PackedMatrix::UnpackRow(int64_t row, float* x) const {
  const int64_t column = row / kPanelWidth * kPanelWidth;
  const int64_t width = std::min<int64_t>(kPanelWidth, padded_n_ - column);
  const float* from = data_.get() + column * k_ + (row - column);
  for (int64_t i = 0; i < k_; ++i) x[i] = from[i * width];
}

}  // namespace dragoman::kernels::cpu
