// MarianMT (OPUS-MT): post-norm, with sinusoidal positions.
#include "engine/model/families/bart_network.h"
#include "engine/model/families/family.h"

namespace dragoman::engine {
namespace {

absl::StatusOr<Network> Make(const ModelSpec& spec) {
  // A stored position table is preferred, because older checkpoints have one and its rounding
  // differs from that of computed positions.
  return MakeBartNetwork(spec, {});
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
