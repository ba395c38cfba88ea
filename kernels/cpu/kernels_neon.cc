// The inner loops for one instruction set; its compiler flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA neon
#define DRAGOMAN_LANES 4
#define DRAGOMAN_TILE_ROWS 6
#define DRAGOMAN_DOTPROD 0
#define DRAGOMAN_I8MM 0
#define DRAGOMAN_BF16 0
#define DRAGOMAN_NARROW_ONLY 0
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const KernelTable kNeonKernels = neon::Table();
const NarrowTable kNeonNarrow = neon::Narrows();
}  // namespace dragoman::cpu
