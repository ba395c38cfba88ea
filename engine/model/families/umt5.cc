// Defines the UMT5 family. It differs from mT5 in that each layer has its own position biases.
#include <cmath>

#include "engine/model/families/family.h"
#include "engine/model/families/t5_network.h"

namespace dragoman::engine {
namespace {

absl::StatusOr<Network> Make(const ModelSpec& spec) {
  const float scale =
      spec.scale_output ? 1.0F / std::sqrt(static_cast<float>(spec.shape.d_model)) : 1.0F;
  return MakeT5Network(spec, {.output_scale = scale, .distances_in_each_layer = true});
}

constexpr TokenizerClass kTokenizers[] = {{"T5Tokenizer", &kT5Tokenizer},
                                          {"T5TokenizerFast", &kT5Tokenizer}};

}  // namespace

extern const Family kUmt5;
const Family kUmt5 = {
    .model_type = "umt5",
    .architecture = "UMT5ForConditionalGeneration",
    .defaults = {.activation = "gated-gelu", .eos = 1, .pad = 0, .decoder_start = 0},
    .read_shape = ReadT5Shape,
    .tokenizers = kTokenizers,
    .make = Make,
    .tasks = &kT5Tasks,
    .has_scale_field = true,
};

}  // namespace dragoman::engine
