// The inner loops for AVX2. The compiler flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx2
#define DRAGOMAN_LANES 8
#define DRAGOMAN_TILE_ROWS 4
#define DRAGOMAN_VNNI 0
#define DRAGOMAN_BF16 0
#define DRAGOMAN_AMX 0
#define DRAGOMAN_QUANTIZED_ONLY 0
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
const KernelTable kAvx2Kernels = avx2::Table();
const QuantizedTable kAvx2Quantized = avx2::MakeQuantizedTable();
}  // namespace dragoman::kernels::cpu
