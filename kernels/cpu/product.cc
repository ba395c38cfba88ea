#include "kernels/cpu/product.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/packed_matrix.h"
#include "kernels/cpu/quantized_matrix.h"

namespace dragoman::kernels::cpu {
namespace {

class FloatProduct final : public Product {
 public:
  FloatProduct(OpContext& context, const MatrixRows& weight, const float* bias, int64_t n,
               int64_t k, float bias_padding)
      : Product(ComputeType::kFloat32, n, k, bias),
        weights_(context, weight, bias, n, k, bias_padding) {}

  int64_t padded_n() const override { return weights_.padded_n(); }
  void UnpackRow(int64_t row, float* x) const override { weights_.UnpackRow(row, x); }
  size_t SelectedFloats(int64_t count) const override { return weights_.SelectedFloats(count); }
  void Select(const int32_t* ids, int64_t count, float* memory) const override {
    weights_.Select(ids, count, memory);
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
    const PackedMatrix::View w = a.selected == nullptr
                                     ? weights_.all()
                                     : weights_.Selected(a.selected->memory, a.selected->n);
    Kernels().gemm(
        {.x = static_cast<const float*>(a.x.rows),
         .ldx = k(),
         .rows = a.rows,
         .k = k(),
         .panels = w.panels,
         .n = w.n,
         .bias = w.bias,
         .y = a.y,
         .ldy = a.ldy,
         .relu = a.relu,
         .padded = a.padded,
         .panel_begin = a.block_begin * kPanels,
         .panel_end = std::min(a.block_end * kPanels, (w.n + kPanelWidth - 1) / kPanelWidth)});
  }

 private:
  const PackedMatrix weights_;
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
      return PackedMatrix::BytesOf(n, k);
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
