// The inner loops for one instruction set; its compiler flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA baseline
#define DRAGOMAN_LANES 4
#define DRAGOMAN_TILE_ROWS 4
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const KernelTable kBaselineKernels = baseline::Table("baseline");
}  // namespace dragoman::cpu
