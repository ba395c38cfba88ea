#include "engine/model/families/transformer_network.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

using Names = std::vector<std::string>;

Names HuggingFaceName(std::string_view stage, int layer, NetworkPart part) {
  const std::string of_stage = Concat("model.", stage, ".");
  const std::string of_layer = Concat(of_stage, "layers.", layer, ".");
  const std::string self = of_layer + "self_attn";
  const std::string cross = of_layer + "encoder_attn";
  switch (part) {
    case NetworkPart::kSelfInput:
      return {self + ".q_proj", self + ".k_proj", self + ".v_proj"};
    case NetworkPart::kSelfOutput:
      return {self + ".out_proj"};
    case NetworkPart::kSelfNorm:
      return {self + "_layer_norm"};
    case NetworkPart::kRecurrence:
    case NetworkPart::kRecurrenceNorm:
    case NetworkPart::kDistances:
    case NetworkPart::kGatedFeedForwardUp:
      return {};  // none here
    case NetworkPart::kCrossQuery:
      return {cross + ".q_proj"};
    case NetworkPart::kCrossKeyValue:
      return {cross + ".k_proj", cross + ".v_proj"};
    case NetworkPart::kCrossOutput:
      return {cross + ".out_proj"};
    case NetworkPart::kCrossNorm:
      return {cross + "_layer_norm"};
    case NetworkPart::kFeedForwardUp:
      return {of_layer + "fc1"};
    case NetworkPart::kFeedForwardDown:
      return {of_layer + "fc2"};
    case NetworkPart::kFeedForwardNorm:
      return {of_layer + "final_layer_norm"};
    case NetworkPart::kEmbeddingNorm:
      return {of_stage + "layernorm_embedding"};
    case NetworkPart::kFinalNorm:
      return {of_stage + "layer_norm"};
    case NetworkPart::kPositions:
      return {of_stage + "embed_positions.weight"};
  }
  return {};
}

Names Ct2Name(std::string_view stage, int layer, NetworkPart part) {
  const std::string of_layer = Concat(stage, "/layer_", layer, "/");
  const std::string self = of_layer + "self_attention/";
  const std::string cross = of_layer + "attention/";
  const std::string ffn = of_layer + "ffn/";
  switch (part) {
    case NetworkPart::kSelfInput:
      return {self + "linear_0"};
    case NetworkPart::kSelfOutput:
      return {self + "linear_1"};
    case NetworkPart::kSelfNorm:
      return {self + "layer_norm"};
    case NetworkPart::kDistances:
      return {self + "relative_attention_bias"};
    case NetworkPart::kRecurrence:
    case NetworkPart::kRecurrenceNorm:
      return {};  // none here
    case NetworkPart::kCrossQuery:
      return {cross + "linear_0"};
    case NetworkPart::kCrossKeyValue:
      return {cross + "linear_1"};
    case NetworkPart::kCrossOutput:
      return {cross + "linear_2"};
    case NetworkPart::kCrossNorm:
      return {cross + "layer_norm"};
    case NetworkPart::kFeedForwardUp:
      return {ffn + "linear_0"};
    case NetworkPart::kGatedFeedForwardUp:
      return {ffn + "linear_0", ffn + "linear_0_noact"};
    case NetworkPart::kFeedForwardDown:
      return {ffn + "linear_1"};
    case NetworkPart::kFeedForwardNorm:
      return {ffn + "layer_norm"};
    case NetworkPart::kEmbeddingNorm:
      return {Concat(stage, "/layernorm_embedding")};
    case NetworkPart::kFinalNorm:
      return {Concat(stage, "/layer_norm")};
    case NetworkPart::kPositions:
      return {Concat(stage, "/position_encodings/encodings")};
  }
  return {};
}

// Returns Marian's names. The names of norms end with "_pre" if the norm is before its sublayer.
template <bool kPreNorm>
Names MarianName(std::string_view stage, int layer, NetworkPart part) {
  const std::string of_layer = Concat(stage, "_l", layer + 1, "_");
  const std::string self = of_layer + "self_";
  const std::string cross = of_layer + "context_";
  const std::string ffn = of_layer + "ffn_";
  const auto norm = [](const std::string& sublayer) {
    return Names{sublayer + (kPreNorm ? "_ln_*_pre" : "_ln_*")};
  };
  switch (part) {
    case NetworkPart::kSelfInput:
      return {self + "*q", self + "*k", self + "*v"};
    case NetworkPart::kSelfOutput:
      return {self + "*o"};
    case NetworkPart::kSelfNorm:
      return norm(self + "Wo");
    case NetworkPart::kRecurrence:
      return {of_layer + "rnn_*f", of_layer + "rnn_*"};
    case NetworkPart::kRecurrenceNorm:
      return norm(of_layer + (kPreNorm ? "rnn" : "rnn_ffn"));
    case NetworkPart::kCrossQuery:
      return {cross + "*q"};
    case NetworkPart::kCrossKeyValue:
      return {cross + "*k", cross + "*v"};
    case NetworkPart::kCrossOutput:
      return {cross + "*o"};
    case NetworkPart::kCrossNorm:
      return norm(cross + "Wo");
    case NetworkPart::kFeedForwardUp:
      return {ffn + "*1"};
    case NetworkPart::kFeedForwardDown:
      return {ffn + "*2"};
    case NetworkPart::kFeedForwardNorm:
      return norm(ffn + "ffn");
    case NetworkPart::kEmbeddingNorm:
      return {Concat(stage, "_emb_ln_*_pre")};
    case NetworkPart::kFinalNorm:
      return {Concat(stage, "_top_ln_*")};
    case NetworkPart::kPositions:
    case NetworkPart::kDistances:
    case NetworkPart::kGatedFeedForwardUp:
      return {};  // none here
  }
  return {};
}

}  // namespace

std::string TensorName(std::string_view part, std::string_view word) {
  const size_t place = std::min(part.find('*'), part.size());
  const size_t behind = std::min(place + 1, part.size());
  return Concat(part.substr(0, place), word, part.substr(behind));
}

const NetworkNames& HuggingFaceBartNames() {
  static const auto* const names =
      new NetworkNames{.of = HuggingFaceName,
                       .weight = ".weight",
                       .bias = ".bias",
                       .gain = ".weight",
                       .norm_bias = ".bias",
                       .shared = {"model.shared.weight"},
                       .source_embedding = {"model.encoder.embed_tokens.weight"},
                       .target_embedding = {"model.decoder.embed_tokens.weight"},
                       .output = {"lm_head.weight"},
                       .output_bias = {"final_logits_bias"},
                       .output_bias_is_row = true,
                       .ignores_tied_output = true};
  return *names;
}

const NetworkNames& Ct2BartNames() {
  static const auto* const names = new NetworkNames{
      .of = Ct2Name,
      .weight = "/weight",
      .bias = "/bias",
      .gain = "/gamma",
      .norm_bias = "/beta",
      .shared = {},
      // Models that older versions of CTranslate2 converted have the second name.
      .source_embedding = {"encoder/embeddings_0/weight", "encoder/embeddings/weight"},
      .target_embedding = {"decoder/embeddings/weight"},
      .output = {"decoder/projection/weight"},
      .output_bias = {"decoder/projection/bias"},
      .output_bias_is_row = false};
  return *names;
}

const NetworkNames& MarianBartNames(bool pre_norm) {
  const auto make = [](auto of) {
    return new NetworkNames{.of = of,
                            .weight = "W",
                            .bias = "b",
                            .gain = "scale",
                            .norm_bias = "bias",
                            .shared = {"Wemb"},
                            .source_embedding = {"encoder_Wemb"},
                            .target_embedding = {"decoder_Wemb"},
                            // Files of older versions of Marian have the second name.
                            .output = {"decoder_ff_logit_out_Wt", "decoder_ff_logit_out_W"},
                            .output_bias = {"decoder_ff_logit_out_b"},
                            .output_bias_is_row = false};
  };
  static const auto* const post = make(MarianName<false>);
  static const auto* const pre = make(MarianName<true>);
  return pre_norm ? *pre : *post;
}

}  // namespace dragoman::engine
