// Defines the FSMT family: fairseq's models of WMT 16 and 19 (facebook/wmt19-en-de,
// allenai/wmt16-en-de-dist-12-1). Its networks are post-norm, with two vocabularies and fairseq's
// sinusoids.
#include <string>

#include "engine/model/families/family.h"
#include "engine/model/families/transformer_network.h"

namespace dragoman::engine {
namespace {

void ReadShape(const Family& family, JsonFields* fields, ModelSpec* spec) {
  ReadBartNetwork(family, {"src_vocab_size", "tgt_vocab_size"}, fields, spec);
  spec->share_embeddings = false;
  // The output layer is always tied to the target's embedding. The field tie_word_embeddings says
  // whether the source's embedding is tied to the target's.
  if (fields->Bool("tie_word_embeddings", false)) {
    fields->Unsupported("tie_word_embeddings", "false");
  }
  spec->tie_output = true;
  spec->stored_output_wins = IsByTransformers5(*fields);
}

// Returns the names of tensors. In transformers 4, the output layer's name is a second name of the
// target's embedding, so both tensors must have equal numbers. In transformers 5, the output layer
// may have its own numbers.
NetworkNames NamesOf(bool has_own_output) {
  const std::string output = "model.decoder.output_projection.weight";
  NetworkNames names = HuggingFaceBartNames();
  names.output.clear();
  (has_own_output ? names.output : names.target_embedding).push_back(output);
  return names;
}

absl::StatusOr<Network> Make(const ModelSpec& spec) {
  static const auto* const of_version_4 = new NetworkNames(NamesOf(false));
  static const auto* const of_version_5 = new NetworkNames(NamesOf(true));
  const NetworkNames* const names = spec.stored_output_wins ? of_version_5 : of_version_4;
  // A stored position table is preferred. Its first two rows are for padding.
  return MakeNetwork(spec, {.first_position = 2,
                            .positions = IfAbsent::kFairseqSinusoids,
                            .places_padding = false,
                            .logits_bias = false,
                            .names = names});
}

constexpr TokenizerClass kTokenizers[] = {{"FSMTTokenizer", &kFsmtTokenizer}};

}  // namespace

extern const Family kFsmt;
const Family kFsmt = {
    .model_type = "fsmt",
    .architecture = "FSMTForConditionalGeneration",
    .defaults = {.activation = "relu",
                 .scale_embedding = true,
                 .eos = 2,
                 .pad = 1,
                 .decoder_start = 2,
                 .generation = R"({"forced_eos_token_id": 2, "num_beams": 5, "max_length": 200})"},
    .read_shape = ReadShape,
    .tokenizers = kTokenizers,
    .make = Make,
};

}  // namespace dragoman::engine
