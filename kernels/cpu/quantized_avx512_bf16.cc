// The inner loops of quantized products and attention for AVX-512 with VNNI and BF16. The compiler
// flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx512_bf16
#define DRAGOMAN_LANES 16
#define DRAGOMAN_VNNI 1
#define DRAGOMAN_BF16 1
#define DRAGOMAN_AMX 0
#define DRAGOMAN_QUANTIZED_ONLY 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
const QuantizedTable kAvx512Bf16Quantized = avx512_bf16::MakeQuantizedTable();
}  // namespace dragoman::kernels::cpu
