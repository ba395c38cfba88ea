#include "engine/model/tokenizers/checkpoint_tokenizer.h"

#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/tokenizer_json.h"
#include "engine/model/tokenizers/tokenizer_rules.h"

namespace dragoman::engine {
namespace {

void ReadClass(const std::string& name, std::span<const TokenizerClass> classes, JsonFields* fields,
               TokenizerSettings* tokenizer) {
  if (name.empty()) return;
  if (IsTokenizersBackend(name) && tokenizer->scheme->has_json) {
    // This class does not determine the scheme, so the family does. In M2M-100's family, the scheme
    // is NllbTokenizer's, because only this class has a tokenizer.json. In mBART's family, the
    // number of languages decides later (fewer_languages).
    tokenizer->is_backend = true;
    const TokenizerScheme* const other = tokenizer->scheme->without_vocabulary;
    if (other != nullptr) tokenizer->scheme = other;
    tokenizer->scheme_given = tokenizer->scheme->fewer_languages == nullptr;
    return;
  }
  std::string names;
  for (const TokenizerClass& one : classes) {
    if (name == one.name) {
      tokenizer->scheme = one.scheme;
      tokenizer->scheme_given = true;
      return;
    }
    names += Concat(names.empty() ? "" : ", ", one.name);
  }
  if (tokenizer->scheme->has_json) names += ", TokenizersBackend, PreTrainedTokenizerFast";
  fields->Unsupported("tokenizer_class", names);
}

void Overwrite(const std::optional<std::string>& piece, std::string* out) {
  if (piece) *out = *piece;
}

}  // namespace

absl::StatusOr<ModelTokenizer> ReadCheckpointTokenizer(const ModelFolder& folder,
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
  for (const auto& [piece, field, id] :
       {std::tuple(&config.tokenizer.eos_piece, "eos_token_id", config.ids.eos),
        std::tuple(&config.tokenizer.pad_piece, "pad_token_id", config.ids.pad)}) {
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

absl::StatusOr<TokenizerRules> RulesOfFiles(const ModelFolder& folder, TokenizerChoice choice,
                                            std::string_view slow_file, CheckpointConfig* config) {
  const bool is_backend = config->tokenizer.is_backend;
  return RulesOf(choice,
                 {.kinds = is_backend ? TokenizerOffer::kFastOnly : TokenizerOffer::kBoth,
                  .tokenizer_class = "TokenizersBackend",
                  .slow_file = std::string(slow_file),
                  .has_slow = folder.Has(slow_file),
                  .has_fast = folder.Has(kTokenizerJsonFile)},
                 &config->notes);
}

absl::Status CheckSourceRoom(const CheckpointConfig& config, int special) {
  const int length = config.tokenizer.model_max_length;
  if (length > special) return absl::OkStatus();
  const bool by_tokenizer = length < config.sizes.positions;
  return absl::InvalidArgumentError(
      Concat(by_tokenizer ? "tokenizer_config.json: field 'model_max_length'"
                          : "config.json: field 'max_position_embeddings'",
             " is ", length, ", expected at least ", special + 1, ": a token, the end of sentence",
             special == 2 ? " and the language tag" : ""));
}

absl::Status SetSharedTokens(const Vocabulary& vocabulary, std::string_view file, int special,
                             CheckpointConfig* config, TokenizerDescription* facts) {
  const absl::StatusOr<int> unk = SpecialId(vocabulary, file, config->tokenizer.unk_piece);
  if (!unk.ok()) return unk.status();
  config->ids.unk = *unk;
  absl::Status status = CheckSpecialIds(vocabulary, file, *config);
  if (status.ok()) status = CheckSourceRoom(*config, special);
  facts->source_eos = config->ids.eos;
  facts->source_unk = *unk;
  facts->max_source_tokens = config->tokenizer.model_max_length;
  return status;
}

void ApplyTokenizerConfig(TokenizerConfig config, std::span<const TokenizerClass> classes,
                          JsonFields* fields, TokenizerSettings* tokenizer) {
  ReadClass(config.tokenizer_class, classes, fields, tokenizer);
  if (!config.source_language.empty()) tokenizer->source_language = config.source_language;
  if (!config.target_language.empty()) tokenizer->target_language = config.target_language;
  Overwrite(config.unk_piece, &tokenizer->unk_piece);
  Overwrite(config.eos_piece, &tokenizer->eos_piece);
  Overwrite(config.pad_piece, &tokenizer->pad_piece);
  Overwrite(config.bos_piece, &tokenizer->bos_piece);
  if (tokenizer->scheme->check != nullptr) tokenizer->scheme->check(config, fields);
  tokenizer->mask_piece = std::string(tokenizer->scheme->mask_piece);
  Overwrite(config.mask_piece, &tokenizer->mask_piece);
  tokenizer->legacy = config.legacy_behaviour;
  tokenizer->is_legacy_t5 = config.legacy.value_or(true);
  for (auto& [id, token] : config.added) {
    token.special = token.special || config.NamesSpecial(token.text);
  }
  const std::optional<double> max_length = config.model_max_length;
  if (max_length && *max_length < 2.0) {
    fields->Fail("model_max_length", "at least 2, for a token and the end of sentence");
  }
  if (max_length && *max_length < tokenizer->model_max_length) {
    tokenizer->model_max_length = static_cast<int>(*max_length);
  }
  static_cast<TokenizerFields&>(*tokenizer) = std::move(config);
}

}  // namespace dragoman::engine
