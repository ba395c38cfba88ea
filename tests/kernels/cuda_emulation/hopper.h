// Hopper's own instructions for emulated kernels (kernels/cuda/hopper.cuh says what each does):
// barriers in shared memory, bulk tensor copies, products of a warpgroup, as the PTX ISA describes
// their bits. Included after emulation.h, before the .cu.
//
// What is asynchronous comes as early or as late as it may, by chance: a copy when it is asked for
// or when somebody waits, a product when it is committed or when it is waited for. So a slab that
// is read before it has come, or given away before it has been read, shows in the results. Fails
// the process where the hardware's answer would be undefined: addresses outside of the block's
// memory or not aligned, a barrier that was not made or that gets more than it expects, warps of a
// group that multiply different things, copies or products under way when the block ends.
//
// Not emulated: fences between proxies, numbers of registers.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "tests/kernels/cuda_emulation/emulation.h"
// After it, for the names of CUDA's language.
#include "kernels/cuda/quantization.cuh"

namespace dragoman::emulation {

enum class ProductType : uint8_t { kHalf, kBFloat16, kFloat8, kInt8 };

// d [128] of this lane, f32 or, of kInt8, s32; see cuda::Product.
void IssueProduct(ProductType type, void* d, uint64_t a, uint64_t b, bool add);
void AwaitProducts(int pending);

}  // namespace dragoman::emulation

namespace dragoman::kernels::cuda {

uint32_t SharedAddress(const void* pointer);
void InitBarrier(uint32_t barrier, uint32_t arrivals);
inline void FenceBarrierInit() {}
void Arrive(uint32_t barrier);
void ArriveExpecting(uint32_t barrier, uint32_t bytes);
void WaitForPhase(uint32_t barrier, uint32_t parity);
void CopyBox(uint32_t to, const CUtensorMap& map, int x, int y, uint32_t barrier);

inline void FenceProducts() { emulation::WarpBarrier(); }
void CommitProducts();
template <int pending>
void WaitForProducts() {
  emulation::AwaitProducts(pending);
}
template <class Sum, int n>
void PinAccumulator(Sum (&)[n]) {}
template <int n>
void TakeAccumulator(const float (&)[n], int32_t (&)[n]) {}
inline void Product(__half, float (&d)[128], uint64_t a, uint64_t b, bool add) {
  emulation::IssueProduct(emulation::ProductType::kHalf, d, a, b, add);
}
inline void Product(__nv_bfloat16, float (&d)[128], uint64_t a, uint64_t b, bool add) {
  emulation::IssueProduct(emulation::ProductType::kBFloat16, d, a, b, add);
}
inline void Product(Float8, float (&d)[128], uint64_t a, uint64_t b, bool add) {
  emulation::IssueProduct(emulation::ProductType::kFloat8, d, a, b, add);
}
inline void Product(Int8, int32_t (&d)[128], uint64_t a, uint64_t b, bool add) {
  emulation::IssueProduct(emulation::ProductType::kInt8, d, a, b, add);
}

template <int registers>
void GiveRegisters() {
  emulation::WarpBarrier();
}
template <int registers>
void TakeRegisters() {
  emulation::WarpBarrier();
}

}  // namespace dragoman::kernels::cuda
