// The inner loops of quantized products and attention for AMX. The compiler flags are in
// kernels/CMakeLists.txt.
#define DRAGOMAN_ISA amx
#define DRAGOMAN_LANES 16
#define DRAGOMAN_VNNI 1
#define DRAGOMAN_BF16 1
#define DRAGOMAN_AMX 1
#define DRAGOMAN_QUANTIZED_ONLY 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::kernels::cpu {
const QuantizedTable kAmxQuantized = amx::MakeQuantizedTable();
}  // namespace dragoman::kernels::cpu
