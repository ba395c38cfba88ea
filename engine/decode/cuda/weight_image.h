// A Transformer's weights as a device holds them: one block of bytes in the compute type, each
// tensor at its place. Made on the host, copied to every device as it is.
//
// A plain value. Places are offsets in bytes, multiples of kWeightAlignment. Matrices are [out, in]
// row-major; biases of the layers' products are of the compute type; norms, positions and the
// output layer's bias are f32.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/model_spec.h"
#include "engine/model/weights.h"
#include "kernels/base/compute_type.h"

namespace dragoman {

inline constexpr int64_t kWeightAlignment = 256;

struct LinearPlace {
  int in = 0;
  int out = 0;
  int64_t weight = 0;
  int64_t bias = 0;
};

struct NormPlace {
  int64_t gamma = 0;
  int64_t beta = 0;
};

struct SelfAttentionPlace {
  LinearPlace query_key_value;  // [3 d, d]
  LinearPlace output;
  NormPlace norm;
};

struct CrossAttentionPlace {
  LinearPlace query;
  LinearPlace output;
  NormPlace norm;
};

struct FeedForwardPlace {
  LinearPlace up;
  LinearPlace down;
  NormPlace norm;
};

struct EncoderLayerPlace {
  SelfAttentionPlace self;
  FeedForwardPlace ffn;
};

struct DecoderLayerPlace {
  SelfAttentionPlace self;
  CrossAttentionPlace cross;
  FeedForwardPlace ffn;
};

struct WeightImage {
  ComputeType type = ComputeType::kFloat32;
  std::vector<uint8_t> bytes;

  int64_t source_embedding = 0;
  int64_t target_embedding = 0;  // the source's where they are shared
  int64_t encoder_positions = 0;
  int64_t decoder_positions = 0;
  std::vector<EncoderLayerPlace> encoder;
  std::vector<DecoderLayerPlace> decoder;
  // k | v of every decoder layer, one below the other: [layers * 2 d, d]. Part l is layer l's.
  LinearPlace cross_key_value;
  LinearPlace output;  // the matrix is an embedding where they are tied; the bias is f32
};

// Part `index` of `parts` equal parts of a product's outputs.
LinearPlace PartOf(const LinearPlace& whole, int parts, int index, ComputeType type);

// INVALID_ARGUMENT, naming the tensor, where a finite weight would become infinite.
absl::StatusOr<WeightImage> MakeWeightImage(const ModelSpec& spec,
                                            const TransformerWeights& weights, ComputeType type);

}  // namespace dragoman
