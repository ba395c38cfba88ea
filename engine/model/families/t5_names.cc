#include "engine/model/families/t5_network.h"

#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

using Names = std::vector<std::string>;

Names HuggingFaceName(std::string_view stage, int layer, T5Part part, bool gated) {
  // Returns the name of a sublayer by its index in the block.
  const auto sublayer = [&](int number) {
    return Concat(stage, ".block.", layer, ".layer.", number, ".");
  };
  const std::string self = sublayer(0) + "SelfAttention.";
  const std::string cross = sublayer(1) + "EncDecAttention.";
  const std::string last = sublayer(stage == "encoder" ? 1 : 2);
  const std::string ffn = last + "DenseReluDense.";
  switch (part) {
    case T5Part::kSelfInput:
      return {self + "q.weight", self + "k.weight", self + "v.weight"};
    case T5Part::kSelfOutput:
      return {self + "o.weight"};
    case T5Part::kSelfNorm:
      return {sublayer(0) + "layer_norm.weight"};
    case T5Part::kDistances:
      return {self + "relative_attention_bias.weight"};
    case T5Part::kCrossQuery:
      return {cross + "q.weight"};
    case T5Part::kCrossKeyValue:
      return {cross + "k.weight", cross + "v.weight"};
    case T5Part::kCrossOutput:
      return {cross + "o.weight"};
    case T5Part::kCrossNorm:
      return {sublayer(1) + "layer_norm.weight"};
    case T5Part::kFeedForwardUp:
      if (gated) return {ffn + "wi_0.weight", ffn + "wi_1.weight"};
      return {ffn + "wi.weight"};
    case T5Part::kFeedForwardDown:
      return {ffn + "wo.weight"};
    case T5Part::kFeedForwardNorm:
      return {last + "layer_norm.weight"};
    case T5Part::kFinalNorm:
      return {Concat(stage, ".final_layer_norm.weight")};
  }
  return {};
}

Names Ct2Name(std::string_view stage, int layer, T5Part part, bool gated) {
  const std::string of_layer = Concat(stage, "/layer_", layer, "/");
  const std::string self = of_layer + "self_attention/";
  const std::string cross = of_layer + "attention/";
  const std::string ffn = of_layer + "ffn/";
  switch (part) {
    case T5Part::kSelfInput: {
      const std::string all = Ct2SelfInput(stage, layer);
      return {all + " (query)", all + " (key)", all + " (value)"};
    }
    case T5Part::kSelfOutput:
      return {self + "linear_1/weight"};
    case T5Part::kSelfNorm:
      return {self + "layer_norm/gamma"};
    case T5Part::kDistances:
      return {self + "relative_attention_bias"};
    case T5Part::kCrossQuery:
      return {cross + "linear_0/weight"};
    case T5Part::kCrossKeyValue:
      return {cross + "linear_1/weight"};
    case T5Part::kCrossOutput:
      return {cross + "linear_2/weight"};
    case T5Part::kCrossNorm:
      return {cross + "layer_norm/gamma"};
    case T5Part::kFeedForwardUp:
      if (gated) return {ffn + "linear_0/weight", ffn + "linear_0_noact/weight"};
      return {ffn + "linear_0/weight"};
    case T5Part::kFeedForwardDown:
      return {ffn + "linear_1/weight"};
    case T5Part::kFeedForwardNorm:
      return {ffn + "layer_norm/gamma"};
    case T5Part::kFinalNorm:
      return {Concat(stage, "/layer_norm/gamma")};
  }
  return {};
}

}  // namespace

const T5Names& HuggingFaceT5Names() {
  static const auto* const names =
      new T5Names{HuggingFaceName,
                  {"shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"},
                  {"lm_head.weight"},
                  true};
  return *names;
}

const T5Names& Ct2T5Names() {
  static const auto* const names = new T5Names{
      Ct2Name,
      {"encoder/embeddings_0/weight", "encoder/embeddings/weight", "decoder/embeddings/weight"},
      {"decoder/projection/weight"}};
  return *names;
}

std::string Ct2SelfInput(std::string_view stage, int layer) {
  return Concat(stage, "/layer_", layer, "/self_attention/linear_0/weight");
}

}  // namespace dragoman::engine
