#include "engine/base/concat.h"
#include "engine/model/families/transformer_network.h"

namespace dragoman::engine {
namespace {

using Names = std::vector<std::string>;

Names HuggingFaceName(std::string_view stage, int layer, NetworkPart part) {
  // Returns the name of a sublayer by its index in the block.
  const auto sublayer = [&](int number) {
    return Concat(stage, ".block.", layer, ".layer.", number, ".");
  };
  const std::string self = sublayer(0) + "SelfAttention.";
  const std::string cross = sublayer(1) + "EncDecAttention.";
  const std::string last = sublayer(stage == "encoder" ? 1 : 2);
  const std::string ffn = last + "DenseReluDense.";
  switch (part) {
    case NetworkPart::kSelfInput:
      return {self + "q", self + "k", self + "v"};
    case NetworkPart::kSelfOutput:
      return {self + "o"};
    case NetworkPart::kSelfNorm:
      return {sublayer(0) + "layer_norm"};
    case NetworkPart::kDistances:
      return {self + "relative_attention_bias.weight"};
    case NetworkPart::kCrossQuery:
      return {cross + "q"};
    case NetworkPart::kCrossKeyValue:
      return {cross + "k", cross + "v"};
    case NetworkPart::kCrossOutput:
      return {cross + "o"};
    case NetworkPart::kCrossNorm:
      return {sublayer(1) + "layer_norm"};
    case NetworkPart::kFeedForwardUp:
      return {ffn + "wi"};
    case NetworkPart::kGatedFeedForwardUp:
      return {ffn + "wi_0", ffn + "wi_1"};
    case NetworkPart::kFeedForwardDown:
      return {ffn + "wo"};
    case NetworkPart::kFeedForwardNorm:
      return {last + "layer_norm"};
    case NetworkPart::kFinalNorm:
      return {Concat(stage, ".final_layer_norm")};
    case NetworkPart::kRecurrence:
    case NetworkPart::kRecurrenceNorm:
    case NetworkPart::kEmbeddingNorm:
    case NetworkPart::kPositions:
      return {};  // none here
  }
  return {};
}

Names Ct2Name(std::string_view stage, int layer, NetworkPart part) {
  Names names = Ct2BartNames().of(stage, layer, part);
  if (part != NetworkPart::kSelfInput) return names;
  const std::string& all = names.front();
  return {all + "* (query)", all + "* (key)", all + "* (value)"};
}

}  // namespace

const NetworkNames& HuggingFaceT5Names() {
  static const auto* const names =
      new NetworkNames{.of = HuggingFaceName,
                       .weight = ".weight",
                       .gain = ".weight",
                       .shared = {"shared.weight"},
                       .source_embedding = {"encoder.embed_tokens.weight"},
                       .target_embedding = {"decoder.embed_tokens.weight"},
                       .output = {"lm_head.weight"},
                       .ignores_tied_output = true};
  return *names;
}

const NetworkNames& Ct2T5Names() {
  static const auto* const names = [] {
    auto* made = new NetworkNames(Ct2BartNames());
    made->of = Ct2Name;
    made->output_bias.clear();
    return made;
  }();
  return *names;
}

}  // namespace dragoman::engine
