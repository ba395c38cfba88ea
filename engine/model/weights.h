// The weights of an encoder-decoder Transformer, f32, grouped as the layers use them.
//
// Owns its memory (or the mapping behind it). Immutable after loading, so any thread may read.
// Matrices are [out, in] row-major, as checkpoints hold them: y = x W^T + b.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman {

struct Matrix {
  int rows = 0;  // outputs
  int cols = 0;  // inputs
  std::vector<float> data;
};

struct LinearWeights {
  Matrix weight;
  std::vector<float> bias;  // size weight.rows
};

struct NormWeights {
  std::vector<float> gamma;
  std::vector<float> beta;
};

struct AttentionWeights {
  LinearWeights query, key, value, output;
};

struct EncoderLayerWeights {
  AttentionWeights self;
  NormWeights self_norm;
  LinearWeights ffn_up, ffn_down;
  NormWeights ffn_norm;
};

struct DecoderLayerWeights {
  AttentionWeights self;
  NormWeights self_norm;
  AttentionWeights cross;
  NormWeights cross_norm;
  LinearWeights ffn_up, ffn_down;
  NormWeights ffn_norm;
};

struct TransformerWeights {
  Matrix source_embedding;         // [source_vocab, d_model]
  Matrix target_embedding;         // [target_vocab, d_model]; empty when shared with the source's
  Matrix output;                   // [target_vocab, d_model]; empty when tied to the embedding
  std::vector<float> output_bias;  // [target_vocab]
  Matrix encoder_positions;        // [max_positions, d_model]
  Matrix decoder_positions;        // [max_positions, d_model]
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;

  const Matrix& TargetEmbedding() const {
    return target_embedding.data.empty() ? source_embedding : target_embedding;
  }
  const Matrix& OutputMatrix() const { return output.data.empty() ? TargetEmbedding() : output; }
};

// The table of PositionKind::kSinusoidal, computed in double: [sin half | cos half], frequency
// 10000^(-2i/d). REQUIRES: d_model even.
Matrix SinusoidalPositions(int positions, int d_model);

// Elements stored, without the position tables; a shared matrix counts once.
int64_t ParameterCount(const TransformerWeights& weights);

}  // namespace dragoman
