// The CUDA runtime's functions that classes in .cu files call when a model is loaded, for emulated
// kernels. The emulated device has the kernels' code and uses host memory. Include it before the
// .cu.
#pragma once

#include <cuda.h>

#include <cstring>
#include <new>

#include "tests/kernels/cuda_emulation/emulation.h"

namespace dragoman::emulation {

inline int processors = 132;                   // number of the device's processors; tests set it
inline cudaError_t code_status = cudaSuccess;  // result of looking up kernels' code; tests set it
inline int code_architecture = 80;             // architecture of the compiled code; tests set it

}  // namespace dragoman::emulation

enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrComputeCapabilityMajor
};
struct cudaFuncAttributes {
  int ptxVersion;
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToDevice };
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess,
  cudaDriverEntryPointSymbolNotFound
};
inline constexpr int cudaEnableDefault = 0;

inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = dragoman::emulation::processors;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 227 << 10;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
  }
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel*) {
  attributes->ptxVersion = dragoman::emulation::code_architecture;
  return dragoman::emulation::code_status;
}
inline cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "an error of the emulation"; }
inline cudaError_t cudaStreamSynchronize(dragoman::kernels::cuda::Stream) { return cudaSuccess; }

inline cudaError_t cudaMalloc(void** memory, size_t bytes) {
  *memory = ::operator new (bytes, std::align_val_t{256});
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) {
  ::operator delete (memory, std::align_val_t{256});
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}

inline cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** entry, unsigned, int,
                                                    cudaDriverEntryPointQueryResult* found) {
  const bool known = std::strcmp(name, "cuTensorMapEncodeTiled") == 0;
  *entry = known ? reinterpret_cast<void*>(&cuTensorMapEncodeTiled) : nullptr;
  *found = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
