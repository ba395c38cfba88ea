#include "kernels/ops/row_norm.h"

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"

namespace dragoman::kernels {

void AddLayerNorm(OpContext& context, const float* x, const float* residual, const float* gamma,
                  const float* beta, float epsilon, int64_t rows, int d, float* y, float* sum) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  cpu::ParallelFor(context, rows, d * 4, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t r = begin; r < end; ++r) {
      kernels.layer_norm(x + r * d, residual == nullptr ? nullptr : residual + r * d, gamma, beta,
                         epsilon, d, y + r * d, sum == nullptr ? nullptr : sum + r * d);
    }
  });
}

void AddRmsNorm(OpContext& context, const float* x, const float* residual, const float* gamma,
                float epsilon, int64_t rows, int d, float* y, float* sum) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  cpu::ParallelFor(context, rows, d * 3, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t r = begin; r < end; ++r) {
      kernels.rms_norm(x + r * d, residual == nullptr ? nullptr : residual + r * d, gamma, epsilon,
                       d, y + r * d, sum == nullptr ? nullptr : sum + r * d);
    }
  });
}

}  // namespace dragoman::kernels
