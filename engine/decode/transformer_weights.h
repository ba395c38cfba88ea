// A Transformer's weights as the operations want them: packed matrices, query, key and value in
// one.
//
// Immutable after construction; shared by all threads. Private to engine/decode.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/model_spec.h"
#include "engine/model/weights.h"
#include "kernels/ops/linear.h"
#include "kernels/ops/output_layer.h"

namespace dragoman {

struct PackedSelfAttention {
  std::unique_ptr<Linear> query_key_value;  // [3 d, d]
  std::unique_ptr<Linear> output;
  NormWeights norm;
};

struct PackedCrossAttention {
  std::unique_ptr<Linear> query;
  std::unique_ptr<Linear> key_value;  // [2 d, d], run by the encoder
  std::unique_ptr<Linear> output;
  NormWeights norm;
};

struct PackedFeedForward {
  std::unique_ptr<Linear> up;  // with the activation
  std::unique_ptr<Linear> down;
  NormWeights norm;
};

struct PackedEncoderLayer {
  PackedSelfAttention self;
  PackedFeedForward ffn;
};

struct PackedDecoderLayer {
  PackedSelfAttention self;
  PackedCrossAttention cross;
  PackedFeedForward ffn;
};

struct PackedTransformer {
  PackedTransformer(const ModelSpec& spec, const TransformerWeights& weights);

  const float* target_embedding() const {
    return target.data.empty() ? source.data.data() : target.data.data();
  }

  ModelSpec spec;
  Matrix source;  // embeddings
  Matrix target;
  Matrix encoder_positions;
  Matrix decoder_positions;
  std::vector<PackedEncoderLayer> encoder;
  std::vector<PackedDecoderLayer> decoder;
  std::unique_ptr<OutputLayer> output;
  int64_t bytes = 0;
};

}  // namespace dragoman
