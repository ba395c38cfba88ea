// A warp's tensor core instructions for emulated kernels (kernels/cuda/tensor_core.cuh says what
// each does), as the PTX ISA lays out their registers. Included after emulation.h, before the .cu.
//
// A copy comes as early or as late as it may, by chance: when it is asked for or when its thread
// waits. So a piece that is read before it has come shows in the results. Fails the process where
// the hardware's answer would be undefined: shared memory that is not the block's or not aligned.
//
// Not emulated: in which order a product adds up its 16 terms. Here they are added exactly, and the
// sum is rounded once (s32 not at all).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tests/kernels/cuda_emulation/emulation.h"
// After it, for the names of CUDA's language.
#include "kernels/cuda/quantization.cuh"

namespace dragoman::emulation {

void WarpLoadMatrices(const void* row, bool transposed, unsigned (&m)[4]);
void AwaitCopyGroups(int pending);

}  // namespace dragoman::emulation

namespace dragoman::kernels::cuda {

void Multiply(__half, float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
void Multiply(__nv_bfloat16, float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
void Multiply(Float8, float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
void Multiply(Int8, int32_t (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
inline void LoadMatrices(const void* row, unsigned (&m)[4]) {
  emulation::WarpLoadMatrices(row, false, m);
}
inline void LoadTransposed(const void* row, unsigned (&m)[4]) {
  emulation::WarpLoadMatrices(row, true, m);
}
void CopyPiece(void* to, const void* from, bool wanted);
void AwaitCopies();
void CommitCopies();
template <int pending>
void AwaitCopyGroups() {
  emulation::AwaitCopyGroups(pending);
}
unsigned RoundPair(__half, float first, float second);
unsigned RoundPair(__nv_bfloat16, float first, float second);

}  // namespace dragoman::kernels::cuda
