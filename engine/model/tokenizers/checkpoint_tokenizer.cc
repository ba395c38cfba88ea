#include "engine/model/tokenizers/checkpoint_tokenizer.h"

#include <tuple>

#include "absl/status/status.h"
#include "engine/base/concat.h"

namespace dragoman {

absl::StatusOr<CheckpointTokenizer> ReadCheckpointTokenizer(const ModelFolder& folder,
                                                            TokenizerChoice choice,
                                                            CheckpointConfig* config) {
  return config->tokenizer.scheme->read(folder, choice, config);
}

absl::StatusOr<int> SpecialId(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece) {
  const std::optional<int> id = vocabulary.IdOf(piece);
  if (id) return *id;
  return absl::InvalidArgumentError(Concat(file, ": the special token '", piece, "' is not in it"));
}

absl::Status CheckSpecialIds(const Vocabulary& target, std::string_view file,
                             const CheckpointConfig& config) {
  const SpecialIds& tokens = config.spec.tokens;
  for (const auto& [piece, field, id] :
       {std::tuple(&config.tokenizer.eos_piece, "eos_token_id", tokens.eos),
        std::tuple(&config.tokenizer.pad_piece, "pad_token_id", tokens.pad)}) {
    const absl::StatusOr<int> found = SpecialId(target, file, *piece);
    if (!found.ok()) return found.status();
    if (*found != id) {
      return absl::InvalidArgumentError(Concat(file, ": piece '", *piece, "' has id ", *found,
                                               ", expected ", id, ", the ", field,
                                               " of the configuration"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSourceRoom(const CheckpointConfig& config, int special) {
  const int length = config.tokenizer.model_max_length;
  if (length > special) return absl::OkStatus();
  const bool by_tokenizer = length < config.spec.shape.max_positions;
  return absl::InvalidArgumentError(
      Concat(by_tokenizer ? "tokenizer_config.json: field 'model_max_length'"
                          : "config.json: field 'max_position_embeddings'",
             " is ", length, ", expected at least ", special + 1, ": a token, the end of sentence",
             special == 2 ? " and the language tag" : ""));
}

absl::Status RefuseRulesOfTheSource(const GenerationDefaults& generation) {
  const char* field = nullptr;
  if (generation.encoder_no_repeat_ngram != 0) field = "encoder_no_repeat_ngram_size";
  if (generation.encoder_repetition_penalty != 1.0F) field = "encoder_repetition_penalty";
  if (field == nullptr) return absl::OkStatus();
  return absl::UnimplementedError(Concat("generation_config.json: field '", field,
                                         "' is not supported with two vocabularies, whose sources "
                                         "have other ids than their translations"));
}

}  // namespace dragoman
