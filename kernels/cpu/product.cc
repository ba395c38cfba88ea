#include "kernels/cpu/product.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/base/float_buffer.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/quantized_matrix.h"

namespace dragoman::kernels::cpu {
namespace {

int64_t PaddedColumns(int64_t n) { return (n + kPanelStep - 1) / kPanelStep * kPanelStep; }

// The weights have the panel layout of the GEMM loop (kernel_table.h).
class FloatProduct final : public Product {
 public:
  FloatProduct(OpContext& context, const MatrixRows& weight, const float* bias, int64_t n,
               int64_t k, float bias_padding)
      : Product(ComputeType::kFloat32, n, k, bias),
        padded_n_(PaddedColumns(n)),
        bias_padding_(bias_padding),
        data_(AllocateFloats(static_cast<size_t>(padded_n_ * k))),
        bias_(AllocateFloats(static_cast<size_t>(padded_n_))) {
    for (int64_t c = 0; c < padded_n_; ++c) {
      bias_.get()[c] = c >= n ? bias_padding : bias == nullptr ? 0.0F : bias[c];
    }
    ParallelFor(context, PanelsOf(n), kPanelWidth * k, [&](int64_t begin, int64_t end, int) {
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

  static int64_t BytesOf(int64_t n, int64_t k) {
    return PaddedColumns(n) * (k + 1) * static_cast<int64_t>(sizeof(float));
  }

  int64_t padded_n() const override { return padded_n_; }
  void UnpackRow(int64_t row, float* x) const override {
    const int64_t column = row / kPanelWidth * kPanelWidth;
    const int64_t width = std::min<int64_t>(kPanelWidth, padded_n_ - column);
    const float* from = data_.get() + column * k() + (row - column);
    for (int64_t i = 0; i < k(); ++i) x[i] = from[i * width];
  }

  size_t SelectedFloats(int64_t count) const override {
    return static_cast<size_t>(PaddedColumns(count) * (k() + 1));
  }
  void Select(const int32_t* ids, int64_t count, float* memory) const override {
    const int64_t padded = PaddedColumns(count);
    float* const bias = memory + padded * k();
    for (int64_t column = 0; column < padded; ++column) {
      const int64_t panel = column / kPanelWidth * kPanelWidth;
      const int64_t width = std::min<int64_t>(kPanelWidth, padded - panel);
      float* const to = memory + panel * k() + (column - panel);
      bias[column] = column < count ? bias_.get()[ids[column]] : bias_padding_;
      if (column >= count) {
        for (int64_t i = 0; i < k(); ++i) to[i * width] = 0.0F;
        continue;
      }
      const int64_t from_panel = ids[column] / kPanelWidth * kPanelWidth;
      const int64_t from_width = std::min<int64_t>(kPanelWidth, padded_n_ - from_panel);
      const float* const from = data_.get() + from_panel * k() + (ids[column] - from_panel);
      for (int64_t i = 0; i < k(); ++i) to[i * width] = from[i * from_width];
    }
  }

  size_t OperandFloats(int64_t /*rows*/) const override { return 0; }
  Operand Prepare(const float* x, int64_t /*rows*/, float* /*memory*/,
                  OpProbe* /*probe*/) const override {
    return {x, nullptr};
  }
  Operand FromRow(const Operand& x, int64_t row) const override {
    return {static_cast<const float*>(x.rows) + row * k(), nullptr};
  }
  bool Folds() const override { return false; }

  void Run(const ProductArgs& a) const override {
    static_assert(kBlockColumns % kPanelWidth == 0);
    constexpr int64_t kPanels = kBlockColumns / kPanelWidth;
    const bool all = a.selected == nullptr;
    const int64_t columns = all ? n() : a.selected->n;
    const float* const panels = all ? data_.get() : a.selected->memory;
    Kernels().gemm({.x = static_cast<const float*>(a.x.rows),
                    .ldx = k(),
                    .rows = a.rows,
                    .k = k(),
                    .panels = panels,
                    .n = columns,
                    .bias = all ? bias_.get() : panels + PaddedColumns(columns) * k(),
                    .y = a.y,
                    .ldy = a.ldy,
                    .relu = a.relu,
                    .padded = a.padded,
                    .panel_begin = a.block_begin * kPanels,
                    .panel_end = std::min(a.block_end * kPanels, PanelsOf(columns))});
  }

 private:
  static int64_t PanelsOf(int64_t columns) { return (columns + kPanelWidth - 1) / kPanelWidth; }

  const int64_t padded_n_;
  const float bias_padding_;
  const FloatBuffer data_;
  const FloatBuffer bias_;
};

class QuantizedProduct final : public Product {
 public:
  QuantizedProduct(OpContext& context, ComputeType type, const MatrixRows& weight,
                   const float* bias, int64_t n, int64_t k, float bias_padding)
      : Product(type, n, k, bias),
        weights_(context, type, weight, bias, n, k, bias_padding),
        int8_(type == ComputeType::kInt8) {}

  int64_t padded_n() const override { return weights_.strips() * kStripWidth; }
  void UnpackRow(int64_t row, float* x) const override { weights_.UnpackRow(row, x); }
  size_t SelectedFloats(int64_t count) const override { return weights_.SelectedFloats(count); }
  void Select(const int32_t* ids, int64_t count, float* memory) const override {
    weights_.Select(ids, count, memory);
  }
  size_t OperandFloats(int64_t rows) const override {
    // The scales are padded, so that memory after them is aligned to 64 bytes.
    return static_cast<size_t>(rows * weights_.groups() + (rows + 15) / 16 * 16);
  }

  // The memory has the rows first, because they must be aligned, then their scales.
  Operand Prepare(const float* x, int64_t rows, float* memory, OpProbe* probe) const override {
    const Probed part(probe, op_part::kOperands);
    const QuantizedTable& kernels = QuantizedKernels();
    auto* const operand = reinterpret_cast<uint8_t*>(memory);
    float* const scales = memory + rows * weights_.groups();
    const int64_t stride = weights_.groups() * kGroupBytes;
    if (int8_) {
      kernels.quantize_rows(x, rows, k(), weights_.groups(), kRowLimit, operand, scales);
    } else {
      for (int64_t r = 0; r < rows; ++r) {
        kernels.round_row(x + r * k(), k(), weights_.groups(), operand + r * stride);
      }
    }
    return {operand, scales};
  }
  Operand FromRow(const Operand& x, int64_t row) const override {
    return {static_cast<const uint8_t*>(x.rows) + row * weights_.groups() * kGroupBytes,
            x.scales + row};
  }

  bool Folds() const override { return true; }

  void Run(const ProductArgs& a) const override {
    static_assert(kBlockColumns % kStripWidth == 0);
    constexpr int64_t kStrips = kBlockColumns / kStripWidth;
    const QuantizedTable& kernels = QuantizedKernels();
    const auto gemm = int8_ ? kernels.gemm_int8 : kernels.gemm_bfloat16;
    const QuantizedMatrix::View w = a.selected == nullptr
                                        ? weights_.all()
                                        : weights_.Selected(a.selected->memory, a.selected->n);
    gemm({.x = static_cast<const uint8_t*>(a.x.rows),
          .rows = a.rows,
          .groups = weights_.groups(),
          .strips = w.strips,
          .n = w.n,
          .start = w.start,
          .order = w.order,
          .order_stride = weights_.order_stride(),
          .column_scale = w.scale,
          .row_scale = int8_ ? a.x.scales : nullptr,
          .bias = w.bias,
          .y = a.y,
          .ldy = a.ldy,
          .fold = a.fold,
          .activation = a.relu ? Activation::kRelu : Activation::kNone,
          .padded = a.padded,
          .strip_begin = a.block_begin * kStrips,
          .strip_end = std::min(a.block_end * kStrips, (w.n + kStripWidth - 1) / kStripWidth)});
  }

 private:
  const QuantizedMatrix weights_;
  const bool int8_;
};

}  // namespace

Product::Product(ComputeType type, int64_t n, int64_t k, const float* bias)
    : n_(n), k_(k), bytes_(BytesOf(type, n, k)) {
  for (int64_t i = 0; bias != nullptr && i < n; ++i) {
    if (std::isfinite(bias[i])) largest_bias_ = std::max(largest_bias_, std::abs(bias[i]));
  }
}

// A result is a sum of products plus a bias. So is its exponent, log2(exp(result)), with both terms
// times log2(e). Each term has a relative error of about 2^-24. If the result is near the
// threshold, the terms are at most |threshold| + 2 largest_bias.
float ExponentBelow(float threshold, float largest_bias) {
  if (std::isinf(threshold)) return threshold;
  const float exponent = threshold * std::numbers::log2e_v<float>;
  return exponent - (std::abs(exponent) + largest_bias) * 1e-5F - 1e-5F;
}

int64_t Product::BytesOf(ComputeType type, int64_t n, int64_t k) {
  switch (type) {
    case ComputeType::kFloat32:
      return FloatProduct::BytesOf(n, k);
    case ComputeType::kInt8:
    case ComputeType::kBFloat16:
      return QuantizedMatrix::BytesOf(type, n, k);
    case ComputeType::kFloat16:
      break;
  }
  return 0;
}

std::unique_ptr<const Product> Product::Create(OpContext& context, ComputeType type,
                                               const MatrixRows& weight, const float* bias,
                                               int64_t n, int64_t k, float bias_padding) {
  ChosenIsa();  // chosen here, because Run must not allocate
  switch (type) {
    case ComputeType::kFloat32:
      return std::make_unique<FloatProduct>(context, weight, bias, n, k, bias_padding);
    case ComputeType::kInt8:
    case ComputeType::kBFloat16:
      return std::make_unique<QuantizedProduct>(context, type, weight, bias, n, k, bias_padding);
    case ComputeType::kFloat16:
      break;
  }
  return nullptr;
}

}  // namespace dragoman::kernels::cpu
