// The inner loops for every 64-bit ARM processor (NEON). The compiler flags are in
// kernels/CMakeLists.txt.
#define DRAGOMAN_ISA neon
#define DRAGOMAN_LANES 4
#define DRAGOMAN_TILE_ROWS 6
#define DRAGOMAN_DOTPROD 0
#define DRAGOMAN_I8MM 0
#define DRAGOMAN_BF16 0
#define DRAGOMAN_QUANTIZED_ONLY 0
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
const KernelTable kNeonKernels = neon::Table();
const QuantizedTable kNeonQuantized = neon::MakeQuantizedTable();
}  // namespace dragoman::kernels::cpu
