// The inner loops for AVX-512. The compiler flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx512
#define DRAGOMAN_LANES 16
#define DRAGOMAN_TILE_ROWS 8
#define DRAGOMAN_VNNI 0
#define DRAGOMAN_BF16 0
#define DRAGOMAN_AMX 0
#define DRAGOMAN_QUANTIZED_ONLY 0
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
const KernelTable kAvx512Kernels = avx512::Table();
const QuantizedTable kAvx512Quantized = avx512::MakeQuantizedTable();
}  // namespace dragoman::kernels::cpu
