// The inner loops of narrow products for one instruction set; its compiler flags are in
// kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx512_vnni
#define DRAGOMAN_LANES 16
#define DRAGOMAN_VNNI 1
#define DRAGOMAN_BF16 0
#define DRAGOMAN_AMX 0
#define DRAGOMAN_NARROW_ONLY 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const NarrowTable kAvx512VnniNarrow = avx512_vnni::Narrows();
}  // namespace dragoman::cpu
