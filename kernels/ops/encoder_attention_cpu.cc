// Self-attention of the encoder on the CPU. A segment of n tokens takes 4 n^2 d floating-point
// operations. For each segment and head, K is transposed once into scratch (head_dim x n floats)
// for all n queries, so that 32 keys are scored at a time.
#include "kernels/ops/encoder_attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"

namespace dragoman::kernels {
namespace {

int64_t RoundUpToTile(int64_t tokens) {
  return (tokens + cpu::kTilePositions - 1) / cpu::kTilePositions * cpu::kTilePositions;
}

// Computes one head of one segment. q, k, v and out point to the segment's first token. `bias`
// points to the bias of distance 0.
void AttendSegment(const float* q, const float* k, const float* v, int64_t ld, int64_t tokens,
                   int head_dim, const float* bias, float* scratch, float* out, int64_t ld_out) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int64_t padded = RoundUpToTile(tokens);
  for (int64_t t = 0; t < tokens; ++t) {
    for (int j = 0; j < head_dim; ++j) scratch[j * padded + t] = k[t * ld + j];
  }
  for (int j = 0; j < head_dim; ++j) {
    std::fill(scratch + j * padded + tokens, scratch + (j + 1) * padded, 0.0F);
  }
  for (int64_t row = 0; row < tokens; row += cpu::kBlockRows) {
    const int rows = static_cast<int>(std::min<int64_t>(cpu::kBlockRows, tokens - row));
    float max[cpu::kBlockRows];
    float sum[cpu::kBlockRows] = {};
    std::fill_n(max, cpu::kBlockRows, -INFINITY);
    float* acc = out + row * ld_out;
    for (int r = 0; r < rows; ++r) std::fill_n(acc + r * ld_out, head_dim, 0.0F);
    for (int64_t key = 0; key < tokens; key += cpu::kTilePositions) {
      kernels.attend_block(
          {.q = q + row * ld,
           .q_stride = ld,
           .rows = rows,
           .k = scratch + key,
           .k_stride = padded,
           .v = v + key * ld,
           .v_stride = ld,
           .positions = static_cast<int>(std::min<int64_t>(cpu::kTilePositions, tokens - key)),
           .head_dim = head_dim,
           .scale = 1.0F / std::sqrt(static_cast<float>(head_dim)),
           .max = max,
           .sum = sum,
           .acc = acc,
           .acc_stride = ld_out,
           .bias = bias == nullptr ? nullptr : bias + key - row});
    }
    for (int r = 0; r < rows; ++r) kernels.normalise(acc + r * ld_out, sum[r], head_dim);
  }
}

}  // namespace

size_t EncoderAttentionScratch(int64_t max_segment_tokens, int head_dim) {
  return static_cast<size_t>(RoundUpToTile(max_segment_tokens) * head_dim);
}

void EncoderAttention(OpContext& context, const float* qkv, const int32_t* offsets,
                      int64_t segments, int heads, int head_dim, float* context_out,
                      const RelativeBias& bias) {
  const int64_t d = int64_t{heads} * head_dim;
  const int64_t tokens_each = offsets[segments] / std::max<int64_t>(segments, 1);
  const int64_t work = tokens_each * tokens_each * head_dim * 2;
  cpu::ParallelFor(context, segments * heads, work, [&](int64_t begin, int64_t end, int thread) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t segment = task / heads;
      const int64_t head = task % heads;
      const int64_t at = head * head_dim;
      const int64_t first = offsets[segment];
      const int64_t tokens = offsets[segment + 1] - first;
      float* scratch = context.Scratch(thread, EncoderAttentionScratch(tokens, head_dim));
      const float* q = qkv + first * 3 * d + at;
      AttendSegment(q, q + d, q + 2 * d, 3 * d, tokens, head_dim,
                    bias.table == nullptr ? nullptr : bias.At(head, 0), scratch,
                    context_out + first * d + at, d);
    }
  });
}

}  // namespace dragoman::kernels
