// The inner loops for every x86-64 processor (SSE2). The compiler flags are in
// kernels/CMakeLists.txt.
#define DRAGOMAN_ISA baseline
#define DRAGOMAN_LANES 4
#define DRAGOMAN_TILE_ROWS 4
#define DRAGOMAN_VNNI 0
#define DRAGOMAN_BF16 0
#define DRAGOMAN_AMX 0
#define DRAGOMAN_QUANTIZED_ONLY 0
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
const KernelTable kBaselineKernels = baseline::Table();
const QuantizedTable kBaselineQuantized = baseline::MakeQuantizedTable();
}  // namespace dragoman::kernels::cpu
