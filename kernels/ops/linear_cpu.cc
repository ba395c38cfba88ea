// Work: 2 rows in out flop; W is read once per block of rows (kernels/cpu/gemm.inc).
#include <algorithm>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/packed_matrix.h"
#include "kernels/cpu/parallel.h"
#include "kernels/ops/linear.h"

namespace dragoman {
namespace {

// Rows from which threads divide the rows and not the columns: below it, reading W is what costs.
constexpr int64_t kRowsToDivide = 64;

class CpuLinear final : public Linear {
 public:
  CpuLinear(const float* weight, const float* bias, int in, int out, Activation activation)
      : Linear(in, out), weights_(weight, bias, out, in, 0.0F), activation_(activation) {}

  void Warm(OpContext& /*context*/, int64_t /*max_rows*/) const override {}

  void Run(OpContext& context, const float* x, int64_t rows, float* y) const override {
    const int64_t work = int64_t{in()} * out();
    if (rows >= kRowsToDivide * context.threads()) {
      cpu::ParallelFor(context, rows, work, [&](int64_t begin, int64_t end, int /*thread*/) {
        Part(x + begin * in(), end - begin, y + begin * out(), 0, weights_.panels());
      });
    } else {
      cpu::ParallelFor(
          context, weights_.panels(), rows * work / weights_.panels(),
          [&](int64_t begin, int64_t end, int /*thread*/) { Part(x, rows, y, begin, end); });
    }
  }

 private:
  void Part(const float* x, int64_t rows, float* y, int64_t panel_begin, int64_t panel_end) const {
    const cpu::KernelTable& kernels = cpu::Kernels();
    const int64_t begin = panel_begin * cpu::kPanelWidth;
    const int64_t end = std::min<int64_t>(panel_end * cpu::kPanelWidth, out());
    kernels.gemm({.x = x,
                  .ldx = in(),
                  .rows = rows,
                  .k = in(),
                  .panels = weights_.data(),
                  .n = out(),
                  .bias = weights_.bias(),
                  .y = y + begin,
                  .ldy = out(),
                  .relu = activation_ == Activation::kRelu,
                  .padded = false,
                  .panel_begin = panel_begin,
                  .panel_end = panel_end});
    if (IsOfProduct(activation_)) return;
    for (int64_t r = 0; r < rows; ++r) {
      kernels.activate(activation_, y + r * out() + begin, end - begin);
    }
  }

  const cpu::PackedMatrix weights_;
  const Activation activation_;
};

}  // namespace

std::unique_ptr<Linear> Linear::Create(const float* weight, const float* bias, int in, int out,
                                       Activation activation, ComputeType type) {
  if (type != ComputeType::kFloat32) return nullptr;
  return std::make_unique<CpuLinear>(weight, bias, in, out, activation);
}

}  // namespace dragoman
