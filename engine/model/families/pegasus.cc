// Defines the Pegasus family. Its networks are pre-norm, with sinusoidal positions.
#include "engine/model/families/family.h"
#include "engine/model/families/transformer_network.h"

namespace dragoman::engine {
namespace {

absl::StatusOr<Network> Make(const ModelSpec& spec) {
  // Uses the position table of the checkpoint if there is one, as in marian.cc.
  return MakeNetwork(spec, {.pre_norm = true});
}

constexpr TokenizerClass kTokenizers[] = {{"PegasusTokenizer", &kPegasusTokenizer},
                                          {"PegasusTokenizerFast", &kPegasusTokenizer}};

}  // namespace

extern const Family kPegasus;
const Family kPegasus = {
    .model_type = "pegasus",
    .architecture = "PegasusForConditionalGeneration",
    .defaults = {.eos = 1,
                 .pad = 0,
                 .decoder_start = 0,
                 .generation = R"({"forced_eos_token_id": 1})"},
    .read_shape = ReadBartShape,
    .tokenizers = kTokenizers,
    .make = Make,
};

}  // namespace dragoman::engine
