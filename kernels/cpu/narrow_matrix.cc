#include "kernels/cpu/narrow_matrix.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"

namespace dragoman::cpu {
namespace {

constexpr int64_t kStripGroupBytes = int64_t{kStripWidth} * kGroupBytes;

int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

}  // namespace

int64_t GroupsOf(ComputeType type, int64_t k) {
  const int64_t per_group = kGroupBytes / ElementBytes(type);
  return RoundUp((k + per_group - 1) / per_group, kGroupBlock);
}

NarrowMatrix::NarrowMatrix(OpContext& context, ComputeType type, const float* weight,
                           const float* bias, int64_t n, int64_t k, float bias_padding)
    : n_(n), k_(k), groups_(GroupsOf(type, k)), padded_n_(RoundUp(n, kStripWidth)) {
  const bool int8 = type == ComputeType::kInt8;
  const int64_t row_bytes = groups_ * kGroupBytes;
  data_ = AllocateFloats(static_cast<size_t>(padded_n_ * groups_));
  bias_ = AllocateFloats(static_cast<size_t>(padded_n_));
  if (int8) {
    scale_ = AllocateFloats(static_cast<size_t>(padded_n_));
    start_ = AllocateFloats(static_cast<size_t>(padded_n_));
  }
  for (int64_t c = 0; c < padded_n_; ++c) {
    bias_.get()[c] = c >= n ? bias_padding : bias == nullptr ? 0.0F : bias[c];
  }
  auto* const data = reinterpret_cast<uint8_t*>(data_.get());
  auto* const start = reinterpret_cast<int32_t*>(start_.get());
  const NarrowTable& kernels = NarrowKernels();
  ParallelFor(context, strips(), kStripWidth * k, [&](int64_t begin, int64_t end, int /*thread*/) {
    std::vector<uint8_t> column(static_cast<size_t>(row_bytes));
    for (int64_t c = begin * kStripWidth; c < end * kStripWidth; ++c) {
      uint8_t* const strip = data + c / kStripWidth * groups_ * kStripGroupBytes;
      if (c >= n_) {
        std::fill(column.begin(), column.end(), uint8_t{0});
        if (int8) scale_.get()[c] = 0.0F, start[c] = 0;
      } else if (int8) {
        kernels.quantise_rows(weight + c * k_, 1, k_, groups_, column.data(), scale_.get() + c);
        int32_t sum = 0;
        for (uint8_t& q : column) {
          q = static_cast<uint8_t>(q - kZeroPoint);
          sum += static_cast<int8_t>(q);
        }
        start[c] = -kZeroPoint * sum;
      } else {
        kernels.round_row(weight + c * k_, k_, groups_, column.data());
      }
      for (int64_t g = 0; g < groups_; ++g) {
        std::memcpy(strip + g * kStripGroupBytes + c % kStripWidth * kGroupBytes,
                    column.data() + g * kGroupBytes, kGroupBytes);
      }
    }
  });
}

int64_t NarrowMatrix::bytes() const {
  const int64_t vectors = scale_ == nullptr ? 1 : 3;
  return static_cast<int64_t>(sizeof(float)) * (padded_n_ * groups_ + vectors * padded_n_);
}

}  // namespace dragoman::cpu
