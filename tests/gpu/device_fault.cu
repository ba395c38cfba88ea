#include <cuda_runtime_api.h>

#include "tests/gpu/device_fault.h"

namespace dragoman::testing {
namespace {

__global__ void WriteNowhere(int* nowhere) { *nowhere = 1; }

}  // namespace

void FailDevice() {
  WriteNowhere<<<1, 1>>>(reinterpret_cast<int*>(16));
  static_cast<void>(cudaDeviceSynchronize());
}

}  // namespace dragoman::testing
