// Defines two families: T5, with FLAN-T5 and MADLAD-400, and mT5.
#include <cmath>

#include "engine/model/families/family.h"
#include "engine/model/families/t5_network.h"

namespace dragoman::engine {
namespace {

absl::StatusOr<Network> Make(const ModelSpec& spec) {
  const float scale =
      spec.scale_output ? 1.0F / std::sqrt(static_cast<float>(spec.shape.d_model)) : 1.0F;
  return MakeT5Network(spec, {.output_scale = scale});
}

constexpr TokenizerClass kTokenizers[] = {{"T5Tokenizer", &kT5Tokenizer},
                                          {"T5TokenizerFast", &kT5Tokenizer},
                                          {"MT5Tokenizer", &kT5Tokenizer},
                                          {"MT5TokenizerFast", &kT5Tokenizer}};

}  // namespace

extern const Family kT5, kMt5;
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

}  // namespace dragoman::engine
