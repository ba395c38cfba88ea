// Computes embeddings. One warp handles a row, 16 bytes per lane at a time. It reads d elements of
// the table and d f32 numbers of the position table, which is in cache, and writes d elements.
// There is no sum over elements, so a row's bits do not depend on its place.
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/embed.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4;

template <class T>
__global__ void __launch_bounds__(kWarps * 32)
    EmbedKernel(const T* table, const float* positions, int32_t unplaced, float scale,
                const int32_t* token, const int32_t* position, int rows, const int32_t* count,
                int d, T* y) {
  const int row = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.y);
  if (row >= rows || (count != nullptr && row >= *count)) return;
  const int32_t id = token[row];
  const bool has_position = positions != nullptr && id != unplaced;
  const float* p = has_position ? positions + int64_t{position[row]} * d : nullptr;
  constexpr int kStep = 32 * kPieceElements<T>;
  for (int i = static_cast<int>(threadIdx.x) * kPieceElements<T>; i < d; i += kStep) {
    Piece<T> x{};
    if (id >= 0) x = LoadPiece(table + int64_t{id} * d + i);
#pragma unroll
    for (int part = 0; part < kPieceElements<T>; part += 4) {
      float4 added = {0.0F, 0.0F, 0.0F, 0.0F};
      if (p != nullptr) added = *reinterpret_cast<const float4*>(p + i + part);
      T* at = x.element + part;
      at[0] = FromFloat<T>(scale * ToFloat(at[0]) + added.x);
      at[1] = FromFloat<T>(scale * ToFloat(at[1]) + added.y);
      at[2] = FromFloat<T>(scale * ToFloat(at[2]) + added.z);
      at[3] = FromFloat<T>(scale * ToFloat(at[3]) + added.w);
    }
    StorePiece(y + int64_t{row} * d + i, x);
  }
}

}  // namespace

Error EmbedTokens(Stream stream, ComputeType type, const void* table, PositionTable positions,
                  float scale, const int32_t* token, const int32_t* position, int64_t rows,
                  const int32_t* count, int d, void* y) {
  if (rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    const auto blocks = static_cast<unsigned>((rows + kWarps - 1) / kWarps);
    return Launch(EmbedKernel<T>, blocks, dim3(32, kWarps), 0, stream, static_cast<const T*>(table),
                  positions.rows, positions.unplaced, scale, token, position,
                  static_cast<int>(rows), count, d, static_cast<T*>(y));
  });
}

}  // namespace dragoman::kernels::cuda
