// Linear on the CPU. A call takes 2 * rows * in * out floating-point operations and reads W once
// for each block of rows (kernels/cpu/*.inc).
#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/product.h"
#include "kernels/ops/linear.h"

namespace dragoman::kernels {
namespace {

// With at least this many rows per thread, the threads divide the rows, otherwise the columns. With
// fewer rows, reading W takes most of the time, and each thread should read only its own columns of
// W.
constexpr int64_t kRowsToDivide = 64;

class CpuLinear final : public Linear {
 public:
  CpuLinear(std::unique_ptr<const cpu::Product> product, Activation activation, ComputeType type)
      : Linear(static_cast<int>(product->k()), static_cast<int>(product->n())),
        product_(std::move(product)),
        activation_(activation),
        quantized_swish_(type != ComputeType::kFloat32 && activation == Activation::kSwish) {}

  size_t ScratchFloats(int64_t max_rows) const override {
    return product_->OperandFloats(max_rows);
  }

  void Run(OpContext& context, const float* x, int64_t rows, float* y) const override {
    const int64_t work = int64_t{in()} * out();
    const size_t floats = product_->OperandFloats(rows);
    if (rows >= kRowsToDivide * context.threads()) {
      for (int thread = 0; thread < context.threads(); ++thread) context.Scratch(thread, floats);
      cpu::ParallelFor(
          context, rows, work,
          [&](int64_t begin, int64_t end, int thread) {
            const cpu::Operand operand =
                product_->Prepare(x + begin * in(), end - begin, context.Scratch(thread, floats),
                                  context.probe(thread));
            Part(operand, end - begin, y + begin * out(), 0, product_->blocks(),
                 context.probe(thread));
          },
          kRowsToDivide);
    } else {
      const cpu::Operand operand =
          product_->Prepare(x, rows, context.Scratch(0, floats), context.probe());
      cpu::ParallelFor(context, product_->blocks(), rows * work / product_->blocks(),
                       [&](int64_t begin, int64_t end, int thread) {
                         Part(operand, rows, y, begin, end, context.probe(thread));
                       });
    }
  }

  int64_t bytes() const override { return product_->bytes(); }

 private:
  void Part(const cpu::Operand& x, int64_t rows, float* y, int64_t block_begin, int64_t block_end,
            OpProbe* probe) const {
    const int64_t begin = block_begin * cpu::Product::kBlockColumns;
    const int64_t end = std::min<int64_t>(block_end * cpu::Product::kBlockColumns, out());
    product_->Run({.x = x,
                   .rows = rows,
                   .y = y + begin,
                   .ldy = out(),
                   .relu = activation_ == Activation::kRelu,
                   .padded = false,
                   .block_begin = block_begin,
                   .block_end = block_end});
    if (IsOfProduct(activation_)) return;
    const Probed part(probe, op_part::kActivation);
    for (int64_t r = 0; r < rows; ++r) {
      float* const row = y + r * out() + begin;
      if (quantized_swish_) {
        cpu::QuantizedKernels().swish(row, end - begin);
      } else {
        cpu::Kernels().activate(activation_, row, end - begin);
      }
    }
  }

  const std::unique_ptr<const cpu::Product> product_;
  const Activation activation_;
  const bool quantized_swish_;
};

}  // namespace

int64_t Linear::BytesOf(ComputeType type, int in, int out) {
  return cpu::Product::BytesOf(type, out, in);
}

std::unique_ptr<Linear> Linear::Create(const MatrixRows& weight, const float* bias, int in, int out,
                                       Activation activation, ComputeType type,
                                       OpContext* context) {
  OpContext alone;
  auto product = cpu::Product::Create(context != nullptr ? *context : alone, type, weight, bias,
                                      out, in, 0.0F);
  if (product == nullptr) return nullptr;
  return std::make_unique<CpuLinear>(std::move(product), activation, type);
}

}  // namespace dragoman::kernels
