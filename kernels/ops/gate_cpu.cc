#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"
#include "kernels/ops/gate.h"

namespace dragoman::kernels {

void GateRows(OpContext& context, Activation activation, const float* x, int64_t rows, int n,
              float* y) {
  constexpr int kWorkOfElement = 8;  // an activation is some ten operations
  const cpu::KernelTable& kernels = cpu::Kernels();
  cpu::ParallelFor(context, rows, int64_t{n} * kWorkOfElement,
                   [&](int64_t begin, int64_t end, int /*thread*/) {
                     for (int64_t r = begin; r < end; ++r) {
                       const float* const a = x + 2 * r * n;
                       kernels.gate(activation, a, a + n, n, y + r * n);
                     }
                   });
}

}  // namespace dragoman::kernels
