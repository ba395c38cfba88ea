// The CUDA runtime: the device's properties, its errors, and functions of the driver.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/gpu/ptx/calls.h"
#include "tests/gpu/ptx/device.h"
#include "tests/gpu/ptx/tensor_map.h"

namespace {

using dragoman::ptx::Called;
using dragoman::ptx::CallKind;
using dragoman::ptx::Device;
using dragoman::ptx::TensorMap;

constexpr int kVersion = CUDART_VERSION;

// Implements cuTensorMapEncodeTiled for what the kernels use: matrices of one-byte or 16-bit
// elements with the 128-byte swizzle.
CUresult EncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* data,
                     const cuuint64_t* size, const cuuint64_t* stride, const cuuint32_t* box,
                     const cuuint32_t* step, CUtensorMapInterleave interleave,
                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion /*promotion*/,
                     CUtensorMapFloatOOBfill fill) {
  constexpr uint64_t kSwizzleBytes = 128;
  constexpr uint32_t kLargestBox = 256;
  const uint32_t bytes = type == CU_TENSOR_MAP_DATA_TYPE_UINT8 ? 1 : 2;
  const bool known =
      (type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 || type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 ||
       type == CU_TENSOR_MAP_DATA_TYPE_UINT8) &&
      rank == 2 && interleave == CU_TENSOR_MAP_INTERLEAVE_NONE &&
      swizzle == CU_TENSOR_MAP_SWIZZLE_128B && fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  if (!known) return CUDA_ERROR_NOT_SUPPORTED;
  // The rules of the driver API: alignment of the map and of the data, sizes, strides, boxes.
  const bool valid =
      reinterpret_cast<uintptr_t>(map) % 64 == 0 && reinterpret_cast<uintptr_t>(data) % 16 == 0 &&
      size[0] != 0 && size[1] != 0 && size[0] <= uint64_t{1} << 32 &&
      size[1] <= uint64_t{1} << 32 && stride[0] % 16 == 0 && stride[0] < uint64_t{1} << 40 &&
      stride[0] >= size[0] * bytes && box[0] != 0 && box[1] != 0 && box[0] <= kLargestBox &&
      box[1] <= kLargestBox && uint64_t{box[0]} * bytes <= kSwizzleBytes &&
      uint64_t{box[0]} * bytes % 16 == 0 && step[0] == 1 && step[1] == 1;
  if (!valid) return CUDA_ERROR_INVALID_VALUE;
  TensorMap tensor;
  tensor.magic = TensorMap::kMagic;
  tensor.data = static_cast<const uint8_t*>(data);
  tensor.columns = size[0];
  tensor.rows = size[1];
  tensor.row_stride = stride[0];
  tensor.box_columns = box[0];
  tensor.box_rows = box[1];
  tensor.element_bytes = bytes;
  static_assert(sizeof(TensorMap) <= sizeof(CUtensorMap));
  std::memset(map, 0, sizeof(*map));
  std::memcpy(map, &tensor, sizeof(tensor));
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return dragoman::ptx::Called({.function = "cudaGetDeviceCount", .needs_device = false},
                               [&](Device& device) {
                                 *count = device.why_not().empty() ? device.count() : 0;
                                 return *count > 0 ? cudaSuccess : device.Note(cudaErrorNoDevice);
                               });
}

cudaError_t cudaGetDevice(int* index) {
  return dragoman::ptx::Called({.function = "cudaGetDevice", .needs_device = false}, [&](Device&) {
    *index = Device::Current();
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int index) {
  return dragoman::ptx::Called(
      {.function = "cudaSetDevice", .kind = CallKind::kSelect, .device = index},
      [&](Device& device) {
        if (index < 0 || index >= device.count()) return device.Note(cudaErrorInvalidDevice);
        Device::SetCurrent(index);
        return cudaSuccess;
      });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  return dragoman::ptx::Called(
      {.function = "cudaDeviceGetAttribute", .needs_device = false, .device = index},
      [&](Device& device) {
        if (index < 0 || index >= device.count()) return device.Note(cudaErrorInvalidDevice);
        const auto& architecture = device.architecture();
        switch (attribute) {
          case cudaDevAttrMultiProcessorCount:
            *value = Device::kMultiprocessors;
            break;
          case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(architecture.limits.shared_bytes_per_block);
            break;
          case cudaDevAttrComputeCapabilityMajor:
            *value = architecture.major;
            break;
          case cudaDevAttrComputeCapabilityMinor:
            *value = architecture.minor;
            break;
          default:
            return device.Note(cudaErrorNotSupported);
        }
        return cudaSuccess;
      });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  return dragoman::ptx::Called(
      {.function = "cudaGetDeviceProperties", .needs_device = false, .device = index},
      [&](Device& device) {
        if (index < 0 || index >= device.count()) return device.Note(cudaErrorInvalidDevice);
        const auto& architecture = device.architecture();
        *properties = {};
        const std::string name = "PTX interpreter, sm_" + architecture.name;
        name.copy(properties->name, sizeof(properties->name) - 1);
        properties->major = architecture.major;
        properties->minor = architecture.minor;
        properties->multiProcessorCount = Device::kMultiprocessors;
        properties->totalGlobalMem = Device::kTotalBytes;
        properties->sharedMemPerBlockOptin = architecture.limits.shared_bytes_per_block;
        properties->warpSize = 32;
        return cudaSuccess;
      });
}

cudaError_t cudaGetLastError() {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  return device.TakeLastError();
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return dragoman::ptx::Called({.function = "cudaRuntimeGetVersion", .needs_device = false},
                               [&](Device&) {
                                 *version = kVersion;
                                 return cudaSuccess;
                               });
}
cudaError_t cudaDriverGetVersion(int* version) {
  return dragoman::ptx::Called({.function = "cudaDriverGetVersion", .needs_device = false},
                               [&](Device&) {
                                 *version = kVersion;
                                 return cudaSuccess;
                               });
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorIllegalAddress:
      return "PTX device: an access out of bounds";
    case cudaErrorMisalignedAddress:
      return "PTX device: a misaligned access";
    case cudaErrorLaunchTimeout:
      return "PTX device: a deadlock";
    case cudaErrorInvalidPtx:
      return "PTX device: PTX that it does not know";
    case cudaErrorInvalidConfiguration:
      return "PTX device: a launch beyond the limits";
    case cudaErrorNoKernelImageForDevice:
      return "PTX device: no PTX for its architecture";
    case cudaErrorMemoryAllocation:
      return "PTX device: out of memory";
    case cudaErrorLaunchFailure:
      return "PTX device: a kernel failed";
    case cudaErrorInvalidValue:
      return "PTX device: an invalid value";
    case cudaErrorInvalidResourceHandle:
      return "PTX device: a handle of another device, or of nothing";
    case cudaErrorStreamCaptureUnsupported:
      return "PTX device: a call that may not be made in a capture";
    case cudaErrorStreamCaptureInvalidated:
      return "PTX device: a capture that is lost";
    case cudaErrorNotSupported:
      return "PTX device: not supported";
    case cudaErrorNoDevice:
      return "the PTX device needs a processor with AVX2, FMA and F16C";
    default:
      return "PTX device: an error";
  }
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** entry, unsigned /*version*/,
                                             unsigned long long /*flags*/,
                                             cudaDriverEntryPointQueryResult* result) {
  return dragoman::ptx::Called({.function = "cudaGetDriverEntryPointByVersion"}, [&](Device&) {
    const bool known = std::string_view(name) == "cuTensorMapEncodeTiled";
    *entry = known ? reinterpret_cast<void*>(&EncodeTiled) : nullptr;
    *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

}  // extern "C"
