// Loads and stores elements of the compute types on a device, 16 bytes at a time. Also converts
// them to and from f32.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

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

// The number of elements of a piece, the 16 bytes that one thread loads or stores at once.
template <class T>
inline constexpr int kPieceElements = 16 / static_cast<int>(sizeof(T));

// A piece, aligned to its 16 bytes.
template <class T>
struct alignas(16) Piece {
  T element[kPieceElements<T>];
};

// A part of a piece that a thread stores at once.
template <class T, int kElements>
struct alignas(kElements * sizeof(T)) Run {
  T element[kElements];
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

// The 16 bytes of a piece as they were loaded. Code that holds a piece in registers uses this form,
// because separate 16-bit elements would take a register each.
template <class T>
struct RawPiece {
  uint4 bits;
};

template <class T>
__device__ inline RawPiece<T> LoadRaw(const T* from) {
  return {*reinterpret_cast<const uint4*>(from)};
}

// Stores a piece to global memory. __stwb instead of an assignment, because nvcc splits an
// assignment into four stores if the piece may be zeros.
template <class T>
__device__ inline void StoreRaw(T* to, RawPiece<T> piece) {
  __stwb(reinterpret_cast<uint4*>(to), piece.bits);
}

__device__ inline void WidenPair(unsigned bits, __half, float* x) {
  x[0] = __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
  x[1] = __half2float(__ushort_as_half(static_cast<unsigned short>(bits >> 16)));
}
__device__ inline void WidenPair(unsigned bits, __nv_bfloat16, float* x) {
  x[0] = __uint_as_float(bits << 16);
  x[1] = __uint_as_float(bits & 0xffff0000U);
}

template <class T>
__device__ inline void Widen(RawPiece<T> piece, float (&x)[kPieceElements<T>]) {
  WidenPair(piece.bits.x, T{}, x);
  WidenPair(piece.bits.y, T{}, x + 2);
  WidenPair(piece.bits.z, T{}, x + 4);
  WidenPair(piece.bits.w, T{}, x + 6);
}
__device__ inline void Widen(RawPiece<float> piece, float (&x)[4]) {
  x[0] = __uint_as_float(piece.bits.x);
  x[1] = __uint_as_float(piece.bits.y);
  x[2] = __uint_as_float(piece.bits.z);
  x[3] = __uint_as_float(piece.bits.w);
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
    case ComputeType::kInt8:  // only on the CPU
      break;
  }
  return launch(float{});
}

}  // namespace dragoman::kernels::cuda
