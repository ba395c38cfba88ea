// Self-attention of the encoder over packed segments: every token attends to all tokens of its own
// segment and to no others. There is no padding.
//
//   qkv [tokens, 3 * d]: q | k | v of a token; d = heads * head_dim
//   offsets [segments + 1]: segment i has tokens offsets[i] .. offsets[i + 1] - 1; offsets[0] = 0
//   bias: added to the scores; has columns for distances -(n - 1) .. n - 1, n the longest segment
//   context_out [tokens, d]: softmax(q k^T / sqrt(head_dim) + bias) v
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/op_context.h"
#include "kernels/base/relative_bias.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

// Returns the number of floats to pass to OpContext::Reserve. After that EncoderAttention allocates
// nothing for segments of up to max_segment_tokens.
size_t EncoderAttentionScratch(int64_t max_segment_tokens, int head_dim);

void EncoderAttention(OpContext& context, const float* qkv, const int32_t* offsets,
                      int64_t segments, int heads, int head_dim, float* context_out,
                      const RelativeBias& bias = {});

namespace cuda {

// EncoderAttention on a device. `offsets` is in device memory; `longest` is the number of tokens of
// the longest segment. Tensors are of the compute type, scores and sums f32. A token's result
// depends only on its segment. REQUIRES: head_dim is a multiple of 8, at most 128; qkv and
// context_out are aligned to 16 bytes.
Error EncoderAttention(Stream stream, ComputeType type, const void* qkv, const int32_t* offsets,
                       int64_t segments, int64_t longest, int heads, int head_dim,
                       void* context_out, const RelativeBias& bias = {});

}  // namespace cuda
}  // namespace dragoman::kernels
