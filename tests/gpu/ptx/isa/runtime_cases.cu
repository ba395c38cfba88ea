#include "tests/gpu/ptx/isa/runtime_cases.h"

#include <cuda_runtime.h>

namespace dragoman::ptx::isa {
namespace {

constexpr uint32_t kBoxBytes = kBoxElements * kBoxRows * 2;

struct Corners {
  int x[kBoxes];
  int y[kBoxes];
};

__device__ uint32_t IsOver(uint32_t barrier, uint32_t parity) {
  uint32_t over;
  asm volatile(
      "{ .reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2; selp.u32 %0, 1, "
      "0, over; }"
      : "=r"(over)
      : "r"(barrier), "r"(parity)
      : "memory");
  return over;
}

__device__ void Copy(uint32_t to, const CUtensorMap& map, int x, int y, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y)
      : "memory");
}

__global__ void CopyBoxesKernel(const __grid_constant__ CUtensorMap map, Corners corners,
                                uint16_t* out, uint32_t* over) {
  __shared__ alignas(1024) uint16_t boxes[kBoxes * kBoxRows * kBoxElements];
  __shared__ uint64_t phase;
  const auto barrier = static_cast<uint32_t>(__cvta_generic_to_shared(&phase));
  const auto place = static_cast<uint32_t>(__cvta_generic_to_shared(boxes));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(1) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(kBoxes * kBoxBytes)
                 : "memory");
    over[0] = IsOver(barrier, 0);
    for (int i = 0; i < kBoxes; ++i) {
      if (i == kBoxes - 1) over[1] = IsOver(barrier, 0);
      Copy(place + i * kBoxBytes, map, corners.x[i], corners.y[i], barrier);
    }
  }
  while (IsOver(barrier, 0) == 0) {
  }
  if (threadIdx.x == 0) over[2] = IsOver(barrier, 0);
  for (int i = threadIdx.x; i < kBoxes * kBoxRows * kBoxElements; i += blockDim.x)
    out[i] = boxes[i];
}

__global__ void WriteKernel(uint32_t* between) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  between[blockIdx.x * 32 + threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
}

__global__ void SumKernel(const uint32_t* between, int blocks, uint32_t* sums) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  uint32_t sum = 0;
  for (int i = 0; i < blocks; ++i) sum += between[i * 32 + threadIdx.x];
  sums[threadIdx.x] = sum;
}

}  // namespace

int CopyBoxes(const CUtensorMap& map, const int* x, const int* y, uint16_t* out, uint32_t* over) {
  Corners corners{};
  for (int i = 0; i < kBoxes; ++i) {
    corners.x[i] = x[i];
    corners.y[i] = y[i];
  }
  CopyBoxesKernel<<<1, 64>>>(map, corners, out, over);
  return cudaGetLastError();
}

int DependentSums(uint32_t* between, int blocks, uint32_t* sums) {
  WriteKernel<<<blocks, 32>>>(between);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 32;
  config.attrs = &early;
  config.numAttrs = 1;
  const cudaError_t launched =
      cudaLaunchKernelEx(&config, SumKernel, static_cast<const uint32_t*>(between), blocks, sums);
  return launched != cudaSuccess ? launched : cudaGetLastError();
}

}  // namespace dragoman::ptx::isa
