// The inner loops of narrow products for one instruction set; its compiler flags are in
// kernels/CMakeLists.txt.
#define DRAGOMAN_ISA dotprod
#define DRAGOMAN_LANES 4
#define DRAGOMAN_DOTPROD 1
#define DRAGOMAN_I8MM 0
#define DRAGOMAN_BF16 0
#define DRAGOMAN_NARROW_ONLY 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const NarrowTable kDotprodNarrow = dotprod::Narrows();
}  // namespace dragoman::cpu
