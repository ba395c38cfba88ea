// Where a family's checkpoint keeps each weight, as data: names of tensors on one side, slots of
// TransformerWeights on the other. A further family adds a map, not code.
//
// Constants; any thread may read.
#pragma once

#include <span>
#include <string_view>

#include "engine/model/weights.h"

namespace dragoman {

// A size that the model's shape gives.
enum class Dim { kModel, kEncoderFfn, kDecoderFfn };

// `name`.weight [out, in] and `name`.bias [out].
template <typename Layer>
struct LinearRule {
  std::string_view name;  // within the layer
  LinearWeights& (*slot)(Layer&);
  Dim out;
  Dim in;
};

// `name`.weight and `name`.bias, both [d_model].
template <typename Layer>
struct NormRule {
  std::string_view name;
  NormWeights& (*slot)(Layer&);
};

template <typename Layer>
struct LayerMap {
  std::string_view prefix;  // followed by the layer's number and a dot
  std::span<const LinearRule<Layer>> linears;
  std::span<const NormRule<Layer>> norms;
};

struct NameMap {
  LayerMap<EncoderLayerWeights> encoder;
  LayerMap<DecoderLayerWeights> decoder;
  // Names of one embedding matrix. Which of them mean the same matrix depends on the spec:
  // `shared` joins the source's and the target's, `output` is the target's when the output is tied.
  std::string_view shared_embedding;
  std::string_view source_embedding;
  std::string_view target_embedding;
  std::string_view output;
  std::string_view output_bias;        // [1, target_vocab]; zeros when absent
  std::string_view encoder_positions;  // [max_positions, d_model]; computed when absent
  std::string_view decoder_positions;
};

// Hugging Face's MarianMTModel.
const NameMap& MarianNameMap();

}  // namespace dragoman
