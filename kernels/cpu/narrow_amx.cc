// The inner loops of narrow products for one instruction set; its compiler flags are in
// kernels/CMakeLists.txt.
#define DRAGOMAN_ISA amx
#define DRAGOMAN_LANES 16
#define DRAGOMAN_VNNI 1
#define DRAGOMAN_BF16 1
#define DRAGOMAN_AMX 1
#define DRAGOMAN_NARROW_ONLY 1
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const NarrowTable kAmxNarrow = amx::Narrows();
}  // namespace dragoman::cpu
