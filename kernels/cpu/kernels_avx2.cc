// The inner loops for one instruction set; its compiler flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx2
#define DRAGOMAN_LANES 8
#define DRAGOMAN_TILE_ROWS 4
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const KernelTable kAvx2Kernels = avx2::Table("avx2");
}  // namespace dragoman::cpu
