// The inner loops of quantized products and attention for AVX-512 with VNNI. The compiler flags are
// in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx512_vnni
#define DRAGOMAN_LANES 16
#define DRAGOMAN_VNNI 1
#define DRAGOMAN_BF16 0
#define DRAGOMAN_AMX 0
#define DRAGOMAN_QUANTIZED_ONLY 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
const QuantizedTable kAvx512VnniQuantized = avx512_vnni::MakeQuantizedTable();
}  // namespace dragoman::kernels::cpu
