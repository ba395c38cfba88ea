// Self-attention of the encoder: one warp per head and kRows adjacent tokens of a segment. Not run
// on a GPU yet.
//
// Bytes per token: 3 d elements of qkv read, d written; flop: 4 n d in a segment of n. Floor at
// 4.3 TB/s, d 512, 16 bit, 8,192 tokens: 34 MB, 8 us; in segments of 30 0.5 GFLOP, which CUDA cores
// need about as long for. K and V are read again by each of the segment's n / kRows warps, from L1
// (the warps of a block are neighbours) and L2.
//
// Why this shape: sentences are short; there the encoder's attention is little beside its products,
// and one text (warp_attention.cuh) for all attention is worth more than tensor cores. Long
// segments, where work grows with n squared, are what they would be for.
#include "kernels/cuda/warp_attention.cuh"
#include "kernels/ops/encoder_attention.h"

namespace dragoman::cuda {
namespace {

constexpr int kWarps = 4;

template <class T, int kHeadClass, int kRows>
__global__ void __launch_bounds__(kWarps* kWarpThreads, kBlocksOfFourWarps<T, kHeadClass>)
    EncoderAttentionKernel(const T* qkv, const int32_t* offsets, int head_dim, T* context_out) {
  AwaitKernelBefore();
  const int64_t segment = blockIdx.x;
  const int64_t first = offsets[segment];
  const int tokens = static_cast<int>(offsets[segment + 1] - first);
  const int token = (static_cast<int>(blockIdx.y) * kWarps + static_cast<int>(threadIdx.y)) * kRows;
  if (token >= tokens) return;
  const int64_t d = int64_t{gridDim.z} * head_dim;
  const int64_t at = int64_t{blockIdx.z} * head_dim;
  const int64_t stride = 3 * d;
  const int row = 3 * static_cast<int>(gridDim.z) * head_dim;
  const T* const q = qkv + first * stride + at;
  T* const out = context_out + first * d + at;
  WarpAttention<T, kHeadClass, kRows> attention(static_cast<int>(threadIdx.x), head_dim);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (token + r < tokens) attention.SetQuery(r, q + (token + r) * stride);
  }
  for (int tile = 0; tile < tokens; tile += kTilePositions) {
    const T* const k = q + d + tile * stride;
    attention.Tile(min(kTilePositions, tokens - tile), d,
                   [&](int /*j*/, int position) { return k + position * row; });
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    if (token + r < tokens) attention.Store(r, out + (token + r) * d);
  }
}

}  // namespace

Error EncoderAttention(Stream stream, ComputeType type, const void* qkv, const int32_t* offsets,
                       int64_t segments, int64_t longest, int heads, int head_dim,
                       void* context_out) {
  if (segments == 0 || longest == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    return ForHeadClass(head_dim, [&](auto head_class) {
      constexpr int kClass = decltype(head_class)::kValue;
      constexpr int kRows = kRowsTogether<T, kClass>;
      constexpr int64_t kTokensPerBlock = int64_t{kWarps} * kRows;
      const dim3 grid(static_cast<unsigned>(segments),
                      static_cast<unsigned>((longest + kTokensPerBlock - 1) / kTokensPerBlock),
                      static_cast<unsigned>(heads));
      return LaunchEarly(EncoderAttentionKernel<T, kClass, kRows>, grid, dim3(kWarpThreads, kWarps),
                         0, stream, static_cast<const T*>(qkv), offsets, head_dim,
                         static_cast<T*>(context_out));
    });
  });
}

}  // namespace dragoman::cuda
