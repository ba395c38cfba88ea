// Defines the family of mBART-50 and mBART-25. Its networks are pre-norm, with a norm after the
// embedding and learned positions.
#include "engine/model/families/family.h"
#include "engine/model/families/transformer_network.h"

namespace dragoman::engine {
namespace {

absl::StatusOr<Network> Make(const ModelSpec& spec) {
  // fairseq reserves the first two rows of the position table for padding.
  return MakeNetwork(spec, {.pre_norm = true,
                            .norm_embedding = true,
                            .first_position = 2,
                            .positions = IfAbsent::kRefuse});
}

constexpr TokenizerClass kTokenizers[] = {{"MBart50Tokenizer", &kMbart50Tokenizer},
                                          {"MBart50TokenizerFast", &kMbart50Tokenizer},
                                          {"MBartTokenizer", &kMbart25Tokenizer},
                                          {"MBartTokenizerFast", &kMbart25Tokenizer}};

}  // namespace

extern const Family kMbart;
const Family kMbart = {
    .model_type = "mbart",
    .architecture = "MBartForConditionalGeneration",
    .defaults = {.starts_with_bos = true, .generation = R"({"forced_eos_token_id": 2})"},
    .read_shape = ReadBartShape,
    .tokenizers = kTokenizers,
    .make = Make,
};

}  // namespace dragoman::engine
