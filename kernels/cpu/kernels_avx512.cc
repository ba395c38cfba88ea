// The inner loops for one instruction set; its compiler flags are in kernels/CMakeLists.txt.
#define DRAGOMAN_ISA avx512
#define DRAGOMAN_LANES 16
#define DRAGOMAN_TILE_ROWS 8

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 warns falsely about its own AVX-512 header (GCC PR 105593); the same text is checked with
// the other two instruction sets.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "kernels/cpu/kernels.inc"

namespace dragoman::cpu {
const KernelTable kAvx512Kernels = avx512::Table("avx512");
}  // namespace dragoman::cpu
