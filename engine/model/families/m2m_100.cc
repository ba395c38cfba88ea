// Defines the family of M2M-100, NLLB-200 and SMaLL-100. Its networks are pre-norm, with fairseq's
// sinusoids. A position table in the checkpoint is ignored.
#include "engine/model/families/family.h"
#include "engine/model/families/transformer_network.h"

namespace dragoman::engine {
namespace {

absl::StatusOr<Network> Make(const ModelSpec& spec) {
  return MakeNetwork(spec, {.pre_norm = true,
                            .stored_positions = false,
                            .positions = IfAbsent::kFairseqSinusoids,
                            .places_padding = false,
                            .logits_bias = false});
}

constexpr TokenizerClass kTokenizers[] = {{"M2M100Tokenizer", &kM2m100Tokenizer},
                                          {"SMALL100Tokenizer", &kSmall100Tokenizer},
                                          {"NllbTokenizer", &kNllbTokenizer},
                                          {"NllbTokenizerFast", &kNllbTokenizer}};

}  // namespace

extern const Family kM2m100;
const Family kM2m100 = {
    .model_type = "m2m_100",
    .architecture = "M2M100ForConditionalGeneration",
    .defaults = {.activation = "relu", .scale_embedding = true},
    .read_shape = ReadBartShape,
    .tokenizers = kTokenizers,
    .make = Make,
};

}  // namespace dragoman::engine
