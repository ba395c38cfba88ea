// Tensor core instructions of a warp (sm_80 and later): products of 16-bit matrices with f32 sums,
// loads of operands from shared memory, and copies to shared memory that run while the warp does
// other work. The comments here say which elements each lane holds; kernels only call the
// functions.
//
// Below, g = lane / 4 and t = lane % 4. If a register holds two elements of a row, the lower half
// has the lower column. A piece is 16 bytes, aligned. All lanes of a warp must make each call
// together, except for the copies.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda/element.cuh"

namespace dragoman::kernels::cuda {

// Whether the architecture that is compiled has these instructions. True in host code, which is
// compiled once for all cards.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr bool kHasTensorCores = false;
#else
constexpr bool kHasTensorCores = true;
#endif

// Computes c += a b, where c is 16 x 8, a is 16 x 16 and b is 16 x 8. Registers of a lane, with g =
// lane / 4 and t = lane % 4:
//   a  rows g, g + 8, g, g + 8 at columns 2 t and 2 t + 1; the last two 8 columns further
//   b  column g, rows 2 t and 2 t + 1; the second register 8 rows further
//   c  row g, columns 2 t and 2 t + 1; then row g + 8
// So two results c for 16 adjacent columns, rounded to 16 bits, have the layout of an operand a. A
// row of c depends only on the same row of a, and on b. The instruction is volatile so that the
// compiler does not move it to a place that only some lanes reach: all lanes must execute it
// together.
#if defined(__CUDACC__)
__device__ inline void Multiply(__half, float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void Multiply(__nv_bfloat16, float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Loads four matrices of 8 x 8 elements. Each lane passes the address of one row of 16 bytes: lane
// l passes row l % 8 of matrix l / 8. Register i of lane l gets two elements of matrix i: row l /
// 4, columns 2 (l % 4) and 2 (l % 4) + 1.
__device__ inline void LoadMatrices(const void* row, unsigned (&m)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}
// Like LoadMatrices, but register i of lane l gets the elements of matrix i in column l / 4, rows 2
// (l % 4) and 2 (l % 4) + 1.
__device__ inline void LoadTransposed(const void* row, unsigned (&m)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

// Copies a piece from global to shared memory if `wanted`, otherwise writes zeros without reading
// `from`. This thread sees the piece after it has called AwaitCopies, other threads of the block
// after a barrier that follows that.
__device__ inline void CopyPiece(void* to, const void* from, bool wanted) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<uint32_t>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from)), "r"(wanted ? 16 : 0)
               : "memory");
}
// Waits for all copies of this thread.
__device__ inline void AwaitCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Puts this thread's copies since the last call into one group, which may be empty.
__device__ inline void CommitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until all groups of this thread's copies except at most the last `pending` are finished.
template <int pending>
__device__ inline void AwaitCopyGroups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Rounds both numbers to nearest even. The first one is in the lower half of the result.
__device__ inline unsigned RoundPair(__half, float first, float second) {
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
__device__ inline unsigned RoundPair(__nv_bfloat16, float first, float second) {
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
#endif

// Returns a pair of ones.
__device__ inline unsigned OnesPair(__half) { return 0x3c003c00U; }
__device__ inline unsigned OnesPair(__nv_bfloat16) { return 0x3f803f80U; }

}  // namespace dragoman::kernels::cuda
