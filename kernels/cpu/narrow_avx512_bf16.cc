// The inner loops of narrow products for one instruction set; its compiler flags are in
// kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx512_bf16
#define DRAGOMAN_LANES 16
#define DRAGOMAN_VNNI 1
#define DRAGOMAN_BF16 1
#define DRAGOMAN_AMX 0
#define DRAGOMAN_NARROW_ONLY 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const NarrowTable kAvx512Bf16Narrow = avx512_bf16::Narrows();
}  // namespace dragoman::cpu
