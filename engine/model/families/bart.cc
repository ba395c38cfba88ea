// Defines the BART family. Its networks are post-norm, with a norm after the embedding and learned
// positions.
#include "engine/model/families/family.h"
#include "engine/model/families/transformer_network.h"

namespace dragoman::engine {
namespace {

absl::StatusOr<Network> Make(const ModelSpec& spec) {
  // fairseq reserves the first two rows of the position table for padding.
  return MakeNetwork(spec,
                     {.norm_embedding = true, .first_position = 2, .positions = IfAbsent::kRefuse});
}

constexpr TokenizerClass kTokenizers[] = {{"BartTokenizer", &kBartTokenizer},
                                          {"BartTokenizerFast", &kBartTokenizer},
                                          // transformers 5 has one class for the tokenizers of BART
                                          // and RoBERTa.
                                          {"RobertaTokenizer", &kBartTokenizer},
                                          {"RobertaTokenizerFast", &kBartTokenizer}};

}  // namespace

extern const Family kBart;
const Family kBart = {
    .model_type = "bart",
    .architecture = "BartForConditionalGeneration",
    .defaults = {.generation = R"({"forced_eos_token_id": 2})"},
    .read_shape = ReadBartShape,
    .tokenizers = kTokenizers,
    .make = Make,
    .has_forced_bos_of_old = true,
};

}  // namespace dragoman::engine
