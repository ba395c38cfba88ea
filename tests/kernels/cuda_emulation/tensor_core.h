// A warp's tensor core instructions for emulated kernels (kernels/cuda/tensor_core.cuh describes
// each), with registers as in the PTX ISA. Include it after emulation.h and before the .cu.
//
// A copy completes at a random time: when it is issued or when its thread waits. So the results
// show if data is read too early. The process fails if the hardware's result would be undefined:
// shared memory that is not the block's or unaligned.
//
// Not emulated: the order in which a product adds its 16 terms. The emulation adds them exactly and
// rounds the sum once (s32: never).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tests/kernels/cuda_emulation/emulation.h"
// Follows emulation.h, which defines CUDA's names.
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
