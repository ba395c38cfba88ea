// The inner loops of quantized products and attention for 64-bit ARM with i8mm. The compiler flags
// are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA i8mm
#define DRAGOMAN_LANES 4
#define DRAGOMAN_DOTPROD 1
#define DRAGOMAN_I8MM 1
#define DRAGOMAN_BF16 1
#define DRAGOMAN_QUANTIZED_ONLY 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
const QuantizedTable kI8mmQuantized = i8mm::MakeQuantizedTable();
}  // namespace dragoman::kernels::cpu
