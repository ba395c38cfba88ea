// Hopper's instructions for emulated kernels (kernels/cuda/hopper.cuh describes each): barriers in
// shared memory, bulk tensor copies, products of a warpgroup, bit by bit as in the PTX ISA. Include
// it after emulation.h and before the .cu.
//
// Asynchronous operations complete at a random time: a copy when it is issued or when a thread
// waits, a product when it is committed or awaited. So the results show if a slab is read too early
// or overwritten before it was read. The process fails if the hardware's result would be undefined:
// addresses that are outside of the block's memory or unaligned, a barrier that is not initialised
// or gets too many arrivals, warps of a group that multiply different operands, copies or products
// in flight when the block ends.
//
// Not emulated: fences between proxies, numbers of registers.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "tests/kernels/cuda_emulation/emulation.h"
// Follows emulation.h, which defines CUDA's names.
#include "kernels/cuda/quantization.cuh"

namespace dragoman::emulation {

enum class ProductType : uint8_t { kHalf, kBFloat16, kFloat8, kInt8 };

// Issues a product. d [128] is this lane's accumulator: f32, or s32 for kInt8. See cuda::Product.
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
