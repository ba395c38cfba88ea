#include "kernels/cpu/quantized_matrix.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/base/matrix_rows.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"

namespace dragoman::kernels::cpu {
namespace {

constexpr int64_t kStripGroupBytes = int64_t{kStripWidth} * kGroupBytes;

// The largest number of pairs of groups in a column. It limits k to 131,072 if int8 weights are
// limited below 127 (ShortWeights).
constexpr size_t kMaxPairs = size_t{1} << 14;

int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

bool ShortWeights() { return QuantizedKernels().weight_limit < kRowLimit; }

// Returns the number of entries of QuantizedGemmArgs::order for one strip, a whole number of cache
// lines; 0 if the order is not used.
int64_t OrderStride(ComputeType type, int64_t groups) {
  if (type != ComputeType::kInt8 || !ShortWeights()) return 0;
  constexpr int64_t kPerLine = 64 / sizeof(uint16_t);
  return RoundUp(1 + groups / 2, kPerLine);
}

int64_t OrderFloats(ComputeType type, int64_t padded_n, int64_t groups) {
  return padded_n / kStripWidth * OrderStride(type, groups) *
         static_cast<int64_t>(sizeof(uint16_t)) / static_cast<int64_t>(sizeof(float));
}

// Reports whether the products of a pair of groups of weights can be added up as 16 bits, whatever
// bytes from 0 to 255 the weights are multiplied by. In each column, pmaddubsw adds the products of
// weights 0 and 1 of a group, and those of 2 and 3. The sums of the two groups are then added.
bool FitsIn16(const int8_t* pair) {
  constexpr int kMost = 32767 / 255;
  for (int64_t at = 0; at < kStripGroupBytes; at += 2) {
    int above = 0;
    int below = 0;
    for (const int64_t i : {at, at + 1, at + kStripGroupBytes, at + kStripGroupBytes + 1}) {
      (pair[i] > 0 ? above : below) += pair[i];
    }
    if (above > kMost || below < -kMost) return false;
  }
  return true;
}

// Writes the order of a strip (QuantizedGemmArgs::order), which takes `stride` entries. fits(pair)
// reports whether the products of a pair of groups fit 16 bits in sum.
template <class Fits>
void WriteOrder(int64_t pairs, Fits fits, int64_t stride, uint16_t* order) {
  uint16_t* next = order + 1;
  uint16_t* last = next + pairs;
  for (int64_t pair = 0; pair < pairs; ++pair)
    *(fits(pair) ? next++ : --last) = static_cast<uint16_t>(pair);
  order[0] = static_cast<uint16_t>(next - (order + 1));
  std::reverse(next, order + 1 + pairs);
  std::fill(order + 1 + pairs, order + stride, uint16_t{0});
}

}  // namespace

int64_t GroupsOf(ComputeType type, int64_t k) {
  const int64_t per_group = kGroupBytes / ElementBytes(type);
  return RoundUp((k + per_group - 1) / per_group, kGroupBlock);
}

int WeightLimit(const float* column, int64_t k) {
  const QuantizedTable& kernels = QuantizedKernels();
  if (kernels.pair_limit >= 2 * kernels.weight_limit) return kernels.weight_limit;
  double most = 0;
  double most_of_two = 0;
  for (int64_t i = 0; i < k; i += 2) {
    const double a = column[i];
    const double b = i + 1 < k ? column[i + 1] : 0.0F;
    most = std::max({most, std::abs(a), std::abs(b)});
    most_of_two = std::max({most_of_two, std::abs(a), std::abs(b), std::abs(a + b)});
  }
  // QuantizeRows handles columns of NaN, infinity or only zeros.
  if (!(most > 0) || std::isinf(most)) return kernels.weight_limit;
  // Rounding adds at most 1/2 to each of two numbers. So if their sum before rounding is below the
  // limit, the sum of the two integers is at most the limit. The margin of 0.01 is for the error of
  // scaling in f32.
  const double limit = (kernels.pair_limit - 0.01) * (most / most_of_two);
  return std::min(kernels.weight_limit, static_cast<int>(limit));
}

void ReadOperandRows(ComputeType type, const MatrixRows& matrix, int64_t first, int64_t count,
                     int64_t k, int64_t groups, OperandUse use, float* memory, uint8_t* rows,
                     float* scales) {
  const int64_t row_bytes = groups * kGroupBytes;
  const bool short_weights = use == OperandUse::kWeights && ShortWeights();
  if (type == ComputeType::kInt8 && !short_weights && matrix.AreInt8()) {
    auto* const bytes = reinterpret_cast<int8_t*>(memory);
    matrix.ReadInt8(first, count, bytes, scales);
    for (int64_t r = 0; r < count; ++r) {
      uint8_t* const row = rows + r * row_bytes;
      for (int64_t i = 0; i < k; ++i) row[i] = static_cast<uint8_t>(bytes[r * k + i] + kZeroPoint);
      std::fill(row + k, row + row_bytes, uint8_t{kZeroPoint});
    }
    return;
  }
  const QuantizedTable& kernels = QuantizedKernels();
  matrix.Read(first, count, memory);
  if (type == ComputeType::kInt8 && short_weights) {
    for (int64_t r = 0; r < count; ++r) {
      const float* const row = memory + r * k;
      kernels.quantize_rows(row, 1, k, groups, WeightLimit(row, k), rows + r * row_bytes,
                            scales + r);
    }
  } else if (type == ComputeType::kInt8) {
    kernels.quantize_rows(memory, count, k, groups, kRowLimit, rows, scales);
  } else {
    for (int64_t r = 0; r < count; ++r) {
      kernels.round_row(memory + r * k, k, groups, rows + r * row_bytes);
    }
  }
}

QuantizedMatrix::QuantizedMatrix(OpContext& context, ComputeType type, const MatrixRows& weight,
                                 const float* bias, int64_t n, int64_t k, float bias_padding)
    : type_(type),
      n_(n),
      k_(k),
      groups_(GroupsOf(type, k)),
      padded_n_(RoundUp(n, kStripWidth)),
      bias_padding_(bias_padding) {
  const bool int8 = type == ComputeType::kInt8;
  const int64_t row_bytes = groups_ * kGroupBytes;
  data_ = AllocateFloats(static_cast<size_t>(padded_n_ * groups_));
  bias_ = AllocateFloats(static_cast<size_t>(padded_n_));
  if (int8) {
    scale_ = AllocateFloats(static_cast<size_t>(padded_n_));
    start_ = AllocateFloats(static_cast<size_t>(padded_n_));
  }
  const int64_t order_stride = OrderStride(type, groups_);
  if (order_stride > 0)
    order_ = AllocateFloats(static_cast<size_t>(OrderFloats(type, padded_n_, groups_)));
  for (int64_t c = 0; c < padded_n_; ++c) {
    bias_.get()[c] = c >= n ? bias_padding : bias == nullptr ? 0.0F : bias[c];
  }
  auto* const data = reinterpret_cast<uint8_t*>(data_.get());
  auto* const start = reinterpret_cast<int32_t*>(start_.get());
  auto* const order = reinterpret_cast<uint16_t*>(order_.get());
  ParallelFor(context, strips(), kStripWidth * k, [&](int64_t begin, int64_t end, int /*thread*/) {
    std::vector<uint8_t> rows(static_cast<size_t>(kStripWidth * row_bytes));
    std::vector<float> memory(static_cast<size_t>(kStripWidth * k));
    for (int64_t s = begin; s < end; ++s) {
      const int64_t first = s * kStripWidth;
      const int64_t count = std::min<int64_t>(kStripWidth, n_ - first);
      float* const scales = int8 ? scale_.get() + first : nullptr;
      ReadOperandRows(type, weight, first, count, k_, groups_, OperandUse::kWeights, memory.data(),
                      rows.data(), scales);
      std::fill(rows.begin() + count * row_bytes, rows.end(), uint8_t{0});
      if (int8) {
        for (int64_t c = 0; c < kStripWidth; ++c) {
          int32_t sum = 0;
          if (c >= count) {
            scales[c] = 0.0F;
          } else {
            for (int64_t i = 0; i < row_bytes; ++i) {
              uint8_t& q = rows[static_cast<size_t>(c * row_bytes + i)];
              q = static_cast<uint8_t>(q - kZeroPoint);
              sum += static_cast<int8_t>(q);
            }
          }
          start[first + c] = -kZeroPoint * sum;
        }
      }
      uint8_t* const strip = data + s * groups_ * kStripGroupBytes;
      for (int64_t g = 0; g < groups_; ++g) {
        for (int64_t c = 0; c < kStripWidth; ++c) {
          std::memcpy(strip + g * kStripGroupBytes + c * kGroupBytes,
                      rows.data() + c * row_bytes + g * kGroupBytes, kGroupBytes);
        }
      }
      if (order_stride == 0) continue;
      const auto fits = [strip](int64_t pair) {
        return FitsIn16(reinterpret_cast<const int8_t*>(strip + pair * 2 * kStripGroupBytes));
      };
      WriteOrder(groups_ / 2, fits, order_stride, order + s * order_stride);
    }
  });
}

int64_t QuantizedMatrix::BytesOf(ComputeType type, int64_t n, int64_t k) {
  const int64_t vectors = type == ComputeType::kInt8 ? 3 : 1;
  const int64_t padded = RoundUp(n, kStripWidth);
  const int64_t groups = GroupsOf(type, k);
  return static_cast<int64_t>(sizeof(float)) *
         (padded * (groups + vectors) + OrderFloats(type, padded, groups));
}

int64_t QuantizedMatrix::order_stride() const { return OrderStride(type_, groups_); }

size_t QuantizedMatrix::SelectedFloats(int64_t count) const {
  return static_cast<size_t>(BytesOf(type_, count, k_)) / sizeof(float);
}

// `memory` holds the strips first, because they must be aligned. The biases, scales and starts of
// the columns follow, then the orders.
QuantizedMatrix::View QuantizedMatrix::Selected(const float* memory, int64_t count) const {
  const int64_t padded = RoundUp(count, kStripWidth);
  const float* const bias = memory + padded * groups_;
  View view{reinterpret_cast<const uint8_t*>(memory), bias, nullptr, nullptr, nullptr, count};
  if (type_ != ComputeType::kInt8) return view;
  view.scale = bias + padded;
  view.start = reinterpret_cast<const int32_t*>(bias + 2 * padded);
  if (order() != nullptr) view.order = reinterpret_cast<const uint16_t*>(bias + 3 * padded);
  return view;
}

// Writes the new strips one after the other. The columns of a new strip come from up to kStripWidth
// old strips. Each strip is read and written from front to back.
void QuantizedMatrix::Select(const int32_t* ids, int64_t count, float* memory) const {
  const bool int8 = type_ == ComputeType::kInt8;
  const int64_t padded = RoundUp(count, kStripWidth);
  auto* to = reinterpret_cast<uint8_t*>(memory);
  float* const bias = memory + padded * groups_;
  float* const scale = bias + padded;
  auto* const start = reinterpret_cast<int32_t*>(scale + padded);
  const int64_t pairs = groups_ / 2;
  auto* new_order = reinterpret_cast<uint16_t*>(start + padded);
  for (int64_t first = 0; first < padded; first += kStripWidth) {
    const auto columns = static_cast<int>(std::min<int64_t>(kStripWidth, count - first));
    const uint8_t* from[kStripWidth];
    for (int c = 0; c < kStripWidth; ++c) {
      const int64_t id = c < columns ? ids[first + c] : 0;
      from[c] =
          data() + id / kStripWidth * groups_ * kStripGroupBytes + id % kStripWidth * kGroupBytes;
      bias[first + c] = c < columns ? bias_.get()[id] : bias_padding_;
      if (!int8) continue;
      scale[first + c] = c < columns ? scale_.get()[id] : 0.0F;
      start[first + c] = c < columns ? all().start[id] : 0;
    }
    for (int64_t g = 0; g < groups_; ++g, to += kStripGroupBytes) {
      for (int c = 0; c < columns; ++c) {
        std::memcpy(to + c * kGroupBytes, from[c] + g * kStripGroupBytes, kGroupBytes);
      }
      std::memset(to + columns * kGroupBytes, 0,
                  static_cast<size_t>(kStripWidth - columns) * kGroupBytes);
    }
    if (order() == nullptr) continue;
    // A pair of groups fits 16 bits here if it does so in every strip that the columns come from.
    std::bitset<kMaxPairs> others;
    for (int c = 0; c < columns; ++c) {
      const uint16_t* const strip = order() + ids[first + c] / kStripWidth * order_stride();
      for (int64_t i = strip[0]; i < pairs; ++i) others.set(strip[1 + i]);
    }
    WriteOrder(
        pairs, [&others](int64_t pair) { return !others[pair]; }, order_stride(), new_order);
    new_order += order_stride();
  }
}

void QuantizedMatrix::UnpackRow(int64_t row, float* x) const {
  const uint8_t* from =
      data() + row / kStripWidth * groups_ * kStripGroupBytes + row % kStripWidth * kGroupBytes;
  if (type_ == ComputeType::kInt8) {
    const float scale = scale_.get()[row];
    for (int64_t i = 0; i < k_; ++i) {
      const uint8_t q = from[i / kGroupBytes * kStripGroupBytes + i % kGroupBytes];
      x[i] = static_cast<float>(static_cast<int8_t>(q)) * scale;
    }
    return;
  }
  constexpr int64_t kPerGroup = kGroupBytes / 2;
  for (int64_t i = 0; i < k_; ++i) {
    uint16_t half;
    std::memcpy(&half, from + i / kPerGroup * kStripGroupBytes + i % kPerGroup * 2, sizeof half);
    const uint32_t bits = uint32_t{half} << 16;
    std::memcpy(x + i, &bits, sizeof bits);
  }
}

}  // namespace dragoman::kernels::cpu
