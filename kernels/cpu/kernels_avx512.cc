// The inner loops for one instruction set; its compiler flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx512
#define DRAGOMAN_LANES 16
#define DRAGOMAN_TILE_ROWS 8
#define DRAGOMAN_VNNI 0
#define DRAGOMAN_BF16 0
#define DRAGOMAN_AMX 0
#define DRAGOMAN_NARROW_ONLY 0
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const KernelTable kAvx512Kernels = avx512::Table();
const NarrowTable kAvx512Narrow = avx512::Narrows();
}  // namespace dragoman::cpu
