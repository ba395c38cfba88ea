// Powers of two and reciprocals by the card's approximate instructions, for results that are
// rounded to 16 bits. Each takes one instruction. exp2f and a division take more instructions,
// because they are exact for denormals and in the last bit. In tests on the host, emulations
// replace these functions (tests/kernels/cuda_emulation/emulation.h).
//
// NaN stays NaN, and infinities give exact results. Arguments and results below 2^-126 count as 0.
#pragma once

namespace dragoman::kernels::cuda {

#if defined(__CUDACC__)
// Returns 2^x with a relative error of at most 2^-22.
__device__ inline float PowerOfTwo(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Returns 1 / x with an error of at most one ulp.
__device__ inline float Reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#endif

}  // namespace dragoman::kernels::cuda
