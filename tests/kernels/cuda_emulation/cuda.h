// The driver's tensor maps for emulated kernels: matrices, swizzled by 128 bytes.
#pragma once

#include <cstdint>

using cuuint32_t = uint32_t;
using cuuint64_t = uint64_t;

enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 };
enum CUtensorMapDataType {
  CU_TENSOR_MAP_DATA_TYPE_UINT8,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
};
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_128B };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_256B };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };

// x is the contiguous dimension.
struct alignas(64) CUtensorMap {
  const unsigned char* data;
  uint64_t width, height, row_bytes;
  uint32_t box_width, box_height, element_bytes;
};

// Refuses the arguments that the driver's documentation excludes.
inline CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                       void* data, const cuuint64_t* size,
                                       const cuuint64_t* stride_bytes, const cuuint32_t* box,
                                       const cuuint32_t* step, CUtensorMapInterleave,
                                       CUtensorMapSwizzle, CUtensorMapL2promotion,
                                       CUtensorMapFloatOOBfill) {
  constexpr uint64_t kMaxSize = uint64_t{1} << 32;
  const uint32_t bytes = type == CU_TENSOR_MAP_DATA_TYPE_UINT8 ? 1 : 2;
  const bool fits =
      reinterpret_cast<uintptr_t>(map) % 64 == 0 && reinterpret_cast<uintptr_t>(data) % 16 == 0 &&
      rank == 2 && size[0] > 0 && size[0] <= kMaxSize && size[1] > 0 && size[1] <= kMaxSize &&
      stride_bytes[0] % 16 == 0 && stride_bytes[0] < uint64_t{1} << 40 &&
      stride_bytes[0] >= bytes * size[0] && box[0] > 0 && bytes * box[0] % 16 == 0 &&
      bytes * box[0] <= 128 && box[1] > 0 && box[1] <= 256 && step[0] == 1 && step[1] == 1;
  if (!fits) return CUDA_ERROR_INVALID_VALUE;
  *map = {static_cast<const unsigned char*>(data),
          size[0],
          size[1],
          stride_bytes[0],
          box[0],
          box[1],
          bytes};
  return CUDA_SUCCESS;
}
