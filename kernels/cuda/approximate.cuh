// Powers of two and reciprocals by the card's own approximations: one instruction each, without the
// multiplications around it for which exp2f and a division keep denormals and the last bit. For
// results that are rounded to 16 bits. Tests, which run kernels on the host, bring their own
// (tests/kernels/cuda_emulation/emulation.h).
//
// NaN stays NaN, and infinities give what they do in exact arithmetic. What is below 2^-126, an
// argument or a result, counts as 0.
#pragma once

namespace dragoman::kernels::cuda {

#if defined(__CUDACC__)
// 2^x; relative error at most 2^-22.
__device__ inline float PowerOfTwo(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// 1 / x, at most one unit of the last place off.
__device__ inline float Reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#endif

}  // namespace dragoman::kernels::cuda
