// Defines three families: T5, with FLAN-T5 and MADLAD-400, mT5 and UMT5. UMT5 differs from mT5 in
// that each layer has its own position biases.
#include <cmath>

#include "engine/model/families/family.h"
#include "engine/model/families/t5_shape.h"
#include "engine/model/families/transformer_network.h"

namespace dragoman::engine {
namespace {

absl::StatusOr<Network> MakeWith(const ModelSpec& spec, bool distances_in_each_layer) {
  const float scale =
      spec.scale_output ? 1.0F / std::sqrt(static_cast<float>(spec.shape.d_model)) : 1.0F;
  return MakeNetwork(spec, {.pre_norm = true,
                            .is_t5 = true,
                            .distances_in_each_layer = distances_in_each_layer,
                            .output_scale = scale,
                            .names = &HuggingFaceT5Names()});
}

absl::StatusOr<Network> Make(const ModelSpec& spec) { return MakeWith(spec, false); }

absl::StatusOr<Network> MakeUmt5(const ModelSpec& spec) { return MakeWith(spec, true); }

constexpr TokenizerClass kTokenizers[] = {{"T5Tokenizer", &kT5Tokenizer},
                                          {"T5TokenizerFast", &kT5Tokenizer},
                                          {"MT5Tokenizer", &kT5Tokenizer},
                                          {"MT5TokenizerFast", &kT5Tokenizer}};

constexpr TokenizerClass kUmt5Tokenizers[] = {{"T5Tokenizer", &kT5Tokenizer},
                                              {"T5TokenizerFast", &kT5Tokenizer}};

}  // namespace

extern const Family kT5, kMt5, kUmt5;
const Family kT5 = {
    .model_type = "t5",
    .architecture = "T5ForConditionalGeneration",
    .defaults = {.activation = "relu"},
    .read_shape = ReadT5Shape,
    .tokenizers = kTokenizers,
    .make = Make,
    .tasks = &kT5Tasks,
    .has_scale_field = true,
};
const Family kMt5 = {
    .model_type = "mt5",
    .architecture = "MT5ForConditionalGeneration",
    .defaults = {.activation = "gated-gelu", .tie_output = false},
    .read_shape = ReadT5Shape,
    .tokenizers = kTokenizers,
    .make = Make,
    .tasks = &kT5Tasks,
};
const Family kUmt5 = {
    .model_type = "umt5",
    .architecture = "UMT5ForConditionalGeneration",
    .defaults = {.activation = "gated-gelu", .eos = 1, .pad = 0, .decoder_start = 0},
    .read_shape = ReadT5Shape,
    .tokenizers = kUmt5Tokenizers,
    .make = MakeUmt5,
    .tasks = &kT5Tasks,
    .has_scale_field = true,
};

}  // namespace dragoman::engine
