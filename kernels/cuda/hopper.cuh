// Instructions that only Hopper has (sm_90a): barriers in shared memory, bulk tensor copies, and
// matrix products of a warpgroup. The comments here state the requirements of the instructions;
// kernels only call them.
//
// Addresses in shared memory are 32 bits, as SharedAddress returns them. In tests on the host,
// emulations replace the instructions (tests/kernels/cuda_emulation/hopper.h).
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda/quantization.cuh"

namespace dragoman::kernels::cuda {

// Returns the descriptor of an operand of Product: rows of 64 elements of 2 bytes or 128 elements
// of 1 byte, contiguous along the summed dimension, as CopyBox leaves them with the 128-byte
// swizzle. Row r is the 128 bytes at 128 r. Its 16-byte piece p is stored as piece p ^ (r % 8).
// Bits of the descriptor:
//   0-13   address / 16
//   16-29  leading offset: unused in this layout, 1 by custom
//   32-45  stride offset / 16: 8 rows are 1024 bytes
//   49-51  base offset: 0, because `address` is the start of 8 rows, 1024-aligned
//   62-63  1: 128-byte swizzle
// The next 16 or 32 elements of the rows are 32 bytes further, so the descriptor for them is larger
// by kOperandStep. The swizzle XORs bits 4-6 of an address with its bits 7-9. Adding less than 128
// bytes to the address of a row leaves bits 7-9 unchanged, so the larger descriptor is also
// correct.
__device__ inline uint64_t OperandOf(uint32_t address) {
  return (uint64_t{address & 0x3ffffU} >> 4) | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 |
         uint64_t{1} << 62;
}
inline constexpr uint64_t kOperandStep = 32 >> 4;

#if defined(__CUDACC__)
__device__ inline uint32_t SharedAddress(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Initializes a barrier, which takes 8 bytes aligned to 8. A phase of the barrier ends when
// `arrivals` threads have arrived and the copies have written all announced bytes. Then the next
// phase begins. It waits for the same number of threads.
__device__ inline void InitBarrier(uint32_t barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Makes the barriers visible to the copy engine. REQUIRES: the thread that called InitBarrier calls
// this function afterwards, before the block's __syncthreads.
__device__ inline void FenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void Arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Arrives, and announces that copies will bring `bytes` (below 2^20) in this phase.
__device__ inline void ArriveExpecting(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Reports whether the phase with this parity has ended. Phases have the parities 0, 1, 0, .. from
// InitBarrier on. Before the first phase ends, parity 1 counts as ended.
__device__ inline bool PhaseIsOver(uint32_t barrier, uint32_t parity) {
  uint32_t over;
  asm volatile(
      "{\n"
      ".reg .pred over;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n"
      "selp.u32 %0, 1, 0, over;\n"
      "}\n"
      : "=r"(over)
      : "r"(barrier), "r"(parity)
      : "memory");
  return over != 0;
}

__device__ inline uint64_t Nanoseconds() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Ends the kernel with an error, by a store to an address outside any block's shared memory. `trap`
// is not used: with an exit from the kernel in every wait, ptxas silently ignores setmaxnreg, and
// registers spill.
__device__ inline void Fault() {
  asm volatile("st.shared.u32 [%0], %0;" ::"r"(0xfffffff0U) : "memory");
}

// Waits for the end of the phase. No phase takes as long as a millisecond. If one takes 10 seconds,
// the kernel has an error, and Fault ends it, so that it does not hang.
__device__ inline void WaitForPhase(uint32_t barrier, uint32_t parity) {
  constexpr uint64_t kPatience = 10'000'000'000;
  if (PhaseIsOver(barrier, parity)) return;
  const uint64_t since = Nanoseconds();
  while (!PhaseIsOver(barrier, parity)) {
    if (Nanoseconds() - since > kPatience) Fault();
  }
}

// Copies the box of a tensor that begins at (x, y) to shared memory. Parts of the box outside the
// tensor are filled with zeros. The barrier counts all bytes of the box as arrived. REQUIRES: `to`
// is aligned to 128 bytes, or to 1024 bytes with a 128-byte swizzle.
__device__ inline void CopyBox(uint32_t to, const CUtensorMap& map, int x, int y,
                               uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y)
      : "memory");
}

// Orders earlier accesses to the accumulator registers before the products that follow. REQUIRES:
// called before the first Product after other code has read or written these registers.
__device__ inline void FenceProducts() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// Puts the products that were issued since the last call into one group, for which WaitForProducts
// can wait.
__device__ inline void CommitProducts() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most `pending` groups of products are unfinished.
template <int pending>
__device__ inline void WaitForProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// Keeps the compiler from moving arithmetic on the accumulator across this call. The compiler does
// not know that a product is asynchronous and writes the accumulator later than its place in the
// code.
template <int n>
__device__ inline void PinAccumulator(float (&d)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <int n>
__device__ inline void PinAccumulator(int32_t (&d)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

// Initializes `d` with the registers of x, whose values are no longer needed. The first product of
// a tile takes `d` as an operand but does not use its values. With an uninitialized `d` the
// compiler would use additional registers.
template <int n>
__device__ inline void TakeAccumulator(const float (&x)[n], int32_t (&d)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) d[i] = __float_as_int(x[i]);
}

#define DRAGOMAN_ACC4(c, i) c(d[i]), c(d[(i) + 1]), c(d[(i) + 2]), c(d[(i) + 3])
#define DRAGOMAN_PRODUCT_64X256(depth_and_types, c, last)                                          \
  asm volatile(                                                                                    \
      "{\n"                                                                                        \
      ".reg .pred add;\n"                                                                          \
      "setp.ne.b32 add, %130, 0;\n"                                                                \
      "wgmma.mma_async.sync.aligned.m64n256" depth_and_types                                       \
      " {"                                                                                         \
      "%0, %1, %2, %3, %4, %5, %6, %7, "                                                           \
      "%8, %9, %10, %11, %12, %13, %14, %15, "                                                     \
      "%16, %17, %18, %19, %20, %21, %22, %23, "                                                   \
      "%24, %25, %26, %27, %28, %29, %30, %31, "                                                   \
      "%32, %33, %34, %35, %36, %37, %38, %39, "                                                   \
      "%40, %41, %42, %43, %44, %45, %46, %47, "                                                   \
      "%48, %49, %50, %51, %52, %53, %54, %55, "                                                   \
      "%56, %57, %58, %59, %60, %61, %62, %63, "                                                   \
      "%64, %65, %66, %67, %68, %69, %70, %71, "                                                   \
      "%72, %73, %74, %75, %76, %77, %78, %79, "                                                   \
      "%80, %81, %82, %83, %84, %85, %86, %87, "                                                   \
      "%88, %89, %90, %91, %92, %93, %94, %95, "                                                   \
      "%96, %97, %98, %99, %100, %101, %102, %103, "                                               \
      "%104, %105, %106, %107, %108, %109, %110, %111, "                                           \
      "%112, %113, %114, %115, %116, %117, %118, %119, "                                           \
      "%120, %121, %122, %123, %124, %125, %126, %127}, "                                          \
      "%128, %129, add" last                                                                       \
      ";\n"                                                                                        \
      "}\n"                                                                                        \
      : DRAGOMAN_ACC4(c, 0), DRAGOMAN_ACC4(c, 4), DRAGOMAN_ACC4(c, 8), DRAGOMAN_ACC4(c, 12),       \
        DRAGOMAN_ACC4(c, 16), DRAGOMAN_ACC4(c, 20), DRAGOMAN_ACC4(c, 24), DRAGOMAN_ACC4(c, 28),    \
        DRAGOMAN_ACC4(c, 32), DRAGOMAN_ACC4(c, 36), DRAGOMAN_ACC4(c, 40), DRAGOMAN_ACC4(c, 44),    \
        DRAGOMAN_ACC4(c, 48), DRAGOMAN_ACC4(c, 52), DRAGOMAN_ACC4(c, 56), DRAGOMAN_ACC4(c, 60),    \
        DRAGOMAN_ACC4(c, 64), DRAGOMAN_ACC4(c, 68), DRAGOMAN_ACC4(c, 72), DRAGOMAN_ACC4(c, 76),    \
        DRAGOMAN_ACC4(c, 80), DRAGOMAN_ACC4(c, 84), DRAGOMAN_ACC4(c, 88), DRAGOMAN_ACC4(c, 92),    \
        DRAGOMAN_ACC4(c, 96), DRAGOMAN_ACC4(c, 100), DRAGOMAN_ACC4(c, 104), DRAGOMAN_ACC4(c, 108), \
        DRAGOMAN_ACC4(c, 112), DRAGOMAN_ACC4(c, 116), DRAGOMAN_ACC4(c, 120), DRAGOMAN_ACC4(c, 124) \
      : "l"(a), "l"(b), "r"(static_cast<int>(add))                                                 \
      : "memory")

// Computes d = a b^T, or d += a b^T with `add`. `a` and `b` are descriptors (OperandOf) of 64 and
// 256 rows. The product covers 32 bytes of each row: 16 elements of 16 bits, or 32 of 8 bits. The
// four warps of a warpgroup call it together. Asynchronous.
// Warp w of the group holds the rows 16 w .. 16 w + 15 of d. Lane l of the warp holds parts of two
// of them: row 16 w + l / 4 in d[4 g + {0, 1}], and the row 8 further in d[4 g + {2, 3}]. In both
// rows the columns are 8 g + 2 (l % 4) + {0, 1}, for g = 0..31.
// The constants after `add` in the instruction: 1, 1 means no negation of a and b; 0, 0 means that
// the summed dimension is contiguous in both.
__device__ inline void Product(__half, float (&d)[128], uint64_t a, uint64_t b, bool add) {
  DRAGOMAN_PRODUCT_64X256("k16.f32.f16.f16", "+f", ", 1, 1, 0, 0");
}
__device__ inline void Product(__nv_bfloat16, float (&d)[128], uint64_t a, uint64_t b, bool add) {
  DRAGOMAN_PRODUCT_64X256("k16.f32.bf16.bf16", "+f", ", 1, 1, 0, 0");
}
__device__ inline void Product(Float8, float (&d)[128], uint64_t a, uint64_t b, bool add) {
  DRAGOMAN_PRODUCT_64X256("k32.f32.e4m3.e4m3", "+f", ", 1, 1");
}
__device__ inline void Product(Int8, int32_t (&d)[128], uint64_t a, uint64_t b, bool add) {
  DRAGOMAN_PRODUCT_64X256("k32.s32.s8.s8", "+r", "");
}
#undef DRAGOMAN_PRODUCT_64X256
#undef DRAGOMAN_ACC4

// GiveRegisters lowers the number of registers of each thread of a warpgroup to `registers`.
// TakeRegisters raises it. A kernel uses them to move registers from the warpgroup that copies to
// those that compute. All warps of the group make the call. REQUIRES: the launch bounds allow one
// block per multiprocessor, so that each thread starts with 65536 / (threads of the block)
// registers.
template <int registers>
__device__ inline void GiveRegisters() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ inline void TakeRegisters() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
#endif

}  // namespace dragoman::kernels::cuda
