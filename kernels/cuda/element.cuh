// Elements of the compute types on a device: pieces of 16 bytes, widened to f32 and back.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda/launch.h"
#include "kernels/ops/compute_type.h"

namespace dragoman::cuda {

__device__ inline float ToFloat(float x) { return x; }
__device__ inline float ToFloat(__half x) { return __half2float(x); }
__device__ inline float ToFloat(__nv_bfloat16 x) { return __bfloat162float(x); }

template <class T>
__device__ T FromFloat(float x);
template <>
__device__ inline float FromFloat<float>(float x) {
  return x;
}
template <>
__device__ inline __half FromFloat<__half>(float x) {
  return __float2half_rn(x);
}
template <>
__device__ inline __nv_bfloat16 FromFloat<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}

// Elements that one thread loads or stores at once.
template <class T>
inline constexpr int kPieceElements = 16 / static_cast<int>(sizeof(T));

// A piece of 16 bytes, aligned so.
template <class T>
struct alignas(16) Piece {
  T element[kPieceElements<T>];
};

template <class T>
__device__ inline Piece<T> LoadPiece(const T* from) {
  Piece<T> piece;
  *reinterpret_cast<uint4*>(&piece) = *reinterpret_cast<const uint4*>(from);
  return piece;
}

template <class T>
__device__ inline void StorePiece(T* to, const Piece<T>& piece) {
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(&piece);
}

// Calls launch(T{}) with the element type of `type`.
template <class Launch>
Error ForType(ComputeType type, Launch launch) {
  switch (type) {
    case ComputeType::kFloat16:
      return launch(__half{});
    case ComputeType::kBFloat16:
      return launch(__nv_bfloat16{});
    case ComputeType::kFloat32:
      break;
  }
  return launch(float{});
}

// The launch that was just made.
inline Error LastLaunch() { return static_cast<Error>(cudaGetLastError()); }

}  // namespace dragoman::cuda
