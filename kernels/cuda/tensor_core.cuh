// A warp's own tensor core instructions (sm_80 and later): products of 16-bit matrices with sums in
// f32, operands out of shared memory, and copies that bring them there while the warp does other
// things. What each lane holds is said here once; kernels only call.
//
// In what follows g = lane / 4 and t = lane % 4. A register of two elements has the one of the
// lower column in its lower half. Shared memory is given by its pointers; pieces are 16 bytes,
// aligned so. All calls but those of copies are for whole warps.
//
// Tests, which run kernels on the host, bring instructions of their own
// (tests/kernels/cuda_emulation/tensor_core.h).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda/element.cuh"

namespace dragoman::kernels::cuda {

// Whether the architecture that is compiled has them. The host compiles for every card at once and does not ask.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr bool kHasTensorCores = false;
#else
constexpr bool kHasTensorCores = true;
#endif

// c [16, 8] += a [16, 16] b [16, 8]. Of a: rows g, g + 8, g, g + 8 at columns 2 t and 2 t + 1; the
// last two registers 8 columns further. Of b: column g, rows 2 t and 2 t + 1; the second register 8
// rows further. Of c: row g, columns 2 t and 2 t + 1; then row g + 8. So what is in c of two
// products, 16 columns side by side, is an a of the next when it has been rounded.
// A row of c depends on no other row of a. volatile, for all lanes of the warp must come to it together:
// a compiler may move what is not to where only some of them go.
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

// Four matrices of 8 x 8 elements: `row` is where row lane % 8 of matrix lane / 8 lies, a piece.
// Register i gets of matrix i the elements of row g in columns 2 t and 2 t + 1.
__device__ inline void LoadMatrices(const void* row, unsigned (&m)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}
// The same, but register i gets the elements of column g in rows 2 t and 2 t + 1.
__device__ inline void LoadTransposed(const void* row, unsigned (&m)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

// Copies a piece from global to shared memory, or writes zeros, for which `from` is not read. The
// piece is visible to this thread after its AwaitCopies, and to the block's others after a barrier
// that follows.
__device__ inline void CopyPiece(void* to, const void* from, bool wanted) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<uint32_t>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from)), "r"(wanted ? 16 : 0)
               : "memory");
}
// Waits for all copies of this thread.
__device__ inline void AwaitCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// This thread's copies since the last call become a group, which may be empty.
__device__ inline void CommitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most the last `pending` groups of this thread are still under way.
template <int pending>
__device__ inline void AwaitCopyGroups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Both rounded to nearest even, the first in the lower half.
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

// Two ones.
__device__ inline unsigned OnesPair(__half) { return 0x3c003c00U; }
__device__ inline unsigned OnesPair(__nv_bfloat16) { return 0x3f803f80U; }

}  // namespace dragoman::kernels::cuda
