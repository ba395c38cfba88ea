// The inner loops for one instruction set; its compiler flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx512
#define DRAGOMAN_LANES 16
#define DRAGOMAN_TILE_ROWS 8
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const KernelTable kAvx512Kernels = avx512::Table("avx512");
}  // namespace dragoman::cpu
