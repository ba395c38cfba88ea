// Defines the family of MarianMT (OPUS-MT). Its networks are post-norm, with sinusoidal positions.
#include "engine/model/families/family.h"
#include "engine/model/families/transformer_network.h"

namespace dragoman::engine {
namespace {

absl::StatusOr<Network> Make(const ModelSpec& spec) {
  // Uses the position table of the checkpoint if there is one, because its rounding differs from
  // that of computed positions. Older checkpoints have such a table.
  return MakeNetwork(spec, {});
}

constexpr TokenizerClass kTokenizers[] = {{"MarianTokenizer", &kMarianTokenizer}};

}  // namespace

extern const Family kMarian;
const Family kMarian = {
    .model_type = "marian",
    .architecture = "MarianMTModel",
    .defaults = {.generation = R"({"forced_eos_token_id": 0})"},
    .read_shape = ReadBartShape,
    .tokenizers = kTokenizers,
    .make = Make,
    .notes_fields_of_bart = true,
};

}  // namespace dragoman::engine
