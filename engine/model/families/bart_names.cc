#include "engine/model/families/bart_network.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

using Names = std::vector<std::string>;

Names HuggingFaceName(std::string_view stage, int layer, BartPart part) {
  const std::string of_stage = Concat("model.", stage, ".");
  const std::string of_layer = Concat(of_stage, "layers.", layer, ".");
  const std::string self = of_layer + "self_attn";
  const std::string cross = of_layer + "encoder_attn";
  switch (part) {
    case BartPart::kSelfInput:
      return {self + ".q_proj", self + ".k_proj", self + ".v_proj"};
    case BartPart::kSelfOutput:
      return {self + ".out_proj"};
    case BartPart::kSelfNorm:
      return {self + "_layer_norm"};
    case BartPart::kRecurrence:
    case BartPart::kRecurrenceNorm:
      return {};  // none here
    case BartPart::kCrossQuery:
      return {cross + ".q_proj"};
    case BartPart::kCrossKeyValue:
      return {cross + ".k_proj", cross + ".v_proj"};
    case BartPart::kCrossOutput:
      return {cross + ".out_proj"};
    case BartPart::kCrossNorm:
      return {cross + "_layer_norm"};
    case BartPart::kFeedForwardUp:
      return {of_layer + "fc1"};
    case BartPart::kFeedForwardDown:
      return {of_layer + "fc2"};
    case BartPart::kFeedForwardNorm:
      return {of_layer + "final_layer_norm"};
    case BartPart::kEmbeddingNorm:
      return {of_stage + "layernorm_embedding"};
    case BartPart::kFinalNorm:
      return {of_stage + "layer_norm"};
    case BartPart::kPositions:
      return {of_stage + "embed_positions.weight"};
  }
  return {};
}

Names Ct2Name(std::string_view stage, int layer, BartPart part) {
  const std::string of_layer = Concat(stage, "/layer_", layer, "/");
  const std::string self = of_layer + "self_attention/";
  const std::string cross = of_layer + "attention/";
  const std::string ffn = of_layer + "ffn/";
  switch (part) {
    case BartPart::kSelfInput:
      return {self + "linear_0"};
    case BartPart::kSelfOutput:
      return {self + "linear_1"};
    case BartPart::kSelfNorm:
      return {self + "layer_norm"};
    case BartPart::kRecurrence:
    case BartPart::kRecurrenceNorm:
      return {};  // none here
    case BartPart::kCrossQuery:
      return {cross + "linear_0"};
    case BartPart::kCrossKeyValue:
      return {cross + "linear_1"};
    case BartPart::kCrossOutput:
      return {cross + "linear_2"};
    case BartPart::kCrossNorm:
      return {cross + "layer_norm"};
    case BartPart::kFeedForwardUp:
      return {ffn + "linear_0"};
    case BartPart::kFeedForwardDown:
      return {ffn + "linear_1"};
    case BartPart::kFeedForwardNorm:
      return {ffn + "layer_norm"};
    case BartPart::kEmbeddingNorm:
      return {Concat(stage, "/layernorm_embedding")};
    case BartPart::kFinalNorm:
      return {Concat(stage, "/layer_norm")};
    case BartPart::kPositions:
      return {Concat(stage, "/position_encodings/encodings")};
  }
  return {};
}

// Returns Marian's names. The names of norms end with "_pre" if the norm is before its sublayer.
template <bool kPreNorm>
Names MarianName(std::string_view stage, int layer, BartPart part) {
  const std::string of_layer = Concat(stage, "_l", layer + 1, "_");
  const std::string self = of_layer + "self_";
  const std::string cross = of_layer + "context_";
  const std::string ffn = of_layer + "ffn_";
  const auto norm = [](const std::string& sublayer) {
    return Names{sublayer + (kPreNorm ? "_ln_*_pre" : "_ln_*")};
  };
  switch (part) {
    case BartPart::kSelfInput:
      return {self + "*q", self + "*k", self + "*v"};
    case BartPart::kSelfOutput:
      return {self + "*o"};
    case BartPart::kSelfNorm:
      return norm(self + "Wo");
    case BartPart::kRecurrence:
      return {of_layer + "rnn_*f", of_layer + "rnn_*"};
    case BartPart::kRecurrenceNorm:
      return norm(of_layer + (kPreNorm ? "rnn" : "rnn_ffn"));
    case BartPart::kCrossQuery:
      return {cross + "*q"};
    case BartPart::kCrossKeyValue:
      return {cross + "*k", cross + "*v"};
    case BartPart::kCrossOutput:
      return {cross + "*o"};
    case BartPart::kCrossNorm:
      return norm(cross + "Wo");
    case BartPart::kFeedForwardUp:
      return {ffn + "*1"};
    case BartPart::kFeedForwardDown:
      return {ffn + "*2"};
    case BartPart::kFeedForwardNorm:
      return norm(ffn + "ffn");
    case BartPart::kEmbeddingNorm:
      return {Concat(stage, "_emb_ln_*_pre")};
    case BartPart::kFinalNorm:
      return {Concat(stage, "_top_ln_*")};
    case BartPart::kPositions:
      return {};
  }
  return {};
}

}  // namespace

std::string TensorName(std::string_view part, std::string_view word) {
  const size_t place = std::min(part.find('*'), part.size());
  const size_t behind = std::min(place + 1, part.size());
  return Concat(part.substr(0, place), word, part.substr(behind));
}

const BartNames& HuggingFaceBartNames() {
  static const auto* const names =
      new BartNames{.of = HuggingFaceName,
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

const BartNames& Ct2BartNames() {
  static const auto* const names = new BartNames{
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

const BartNames& MarianBartNames(bool pre_norm) {
  const auto make = [](auto of) {
    return new BartNames{.of = of,
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
