// A warp's products of one-byte elements: int8 with s32 sums (sm_75 and later), e4m3 with f32 sums
// (sm_89 and later). tensor_core.cuh has the loads and copies and says which elements each lane
// holds.
//
// In tests on the host, emulations replace the instructions
// (tests/kernels/cuda_emulation/tensor_core.h).
#pragma once

#include <cstdint>

#include "kernels/cuda/quantization.cuh"

namespace dragoman::kernels::cuda {

#if defined(__CUDACC__)
// Computes c += a b, where c is 16 x 8, a is 16 x 32 and b is 32 x 8. Lanes hold elements as in
// tensor_core.cuh, but a register has four adjacent elements in place of two.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
// This architecture lacks the instruction, so four smaller products compute it from parts of the
// registers.
__device__ inline void MultiplyQuarter(int32_t& c0, int32_t& c1, unsigned a, unsigned b) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+r"(c0), "+r"(c1)
               : "r"(a), "r"(b));
}
__device__ inline void Multiply(Int8, int32_t (&c)[4], const unsigned (&a)[4], unsigned b0,
                                unsigned b1) {
  MultiplyQuarter(c[0], c[1], a[0], b0);
  MultiplyQuarter(c[2], c[3], a[1], b0);
  MultiplyQuarter(c[0], c[1], a[2], b1);
  MultiplyQuarter(c[2], c[3], a[3], b1);
}
#else
__device__ inline void Multiply(Int8, int32_t (&c)[4], const unsigned (&a)[4], unsigned b0,
                                unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif
__device__ inline void Multiply(Float8, float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif

}  // namespace dragoman::kernels::cuda
