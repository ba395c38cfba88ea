// The inner loops of quantized products and attention for 64-bit ARM with dotprod. The compiler
// flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA dotprod
#define DRAGOMAN_LANES 4
#define DRAGOMAN_DOTPROD 1
#define DRAGOMAN_I8MM 0
#define DRAGOMAN_BF16 0
#define DRAGOMAN_QUANTIZED_ONLY 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
const QuantizedTable kDotprodQuantized = dotprod::MakeQuantizedTable();
}  // namespace dragoman::kernels::cpu
