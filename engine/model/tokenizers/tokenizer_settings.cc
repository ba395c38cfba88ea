#include "engine/model/tokenizers/tokenizer_settings.h"

#include <optional>
#include <span>
#include <utility>

#include "engine/base/concat.h"
#include "engine/model/tokenizers/tokenizer_rules.h"

namespace dragoman {
namespace {

void ReadClass(const std::string& name, std::span<const TokenizerClass> classes, JsonFields* fields,
               TokenizerSettings* tokenizer) {
  if (name.empty()) return;
  if (IsTokenizersBackend(name) && tokenizer->scheme->has_json) {
    // The conventions are the family's; of M2M-100's only NllbTokenizer has such a file, and which
    // mBART it is its languages say.
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
  tokenizer->separate_vocabularies = config.separate_vocabularies;
  tokenizer->is_wmt21 = config.is_wmt21;
  tokenizer->legacy = config.legacy_behaviour;
  tokenizer->is_legacy_t5 = config.legacy.value_or(true);
  tokenizer->add_prefix_space = config.add_prefix_space;
  tokenizer->extra_ids = config.extra_ids;
  for (auto& [id, token] : config.added) {
    token.special = token.special || config.NamesSpecial(token.text);
  }
  tokenizer->listed = std::move(config.listed);
  tokenizer->listed_file = std::move(config.listed_file);
  tokenizer->added = std::move(config.added);
  tokenizer->added_file = std::move(config.added_file);
  const std::optional<double> max_length = config.model_max_length;
  if (max_length && *max_length < 2.0) {
    fields->Fail("model_max_length", "at least 2, for a token and the end of sentence");
  }
  if (max_length && *max_length < tokenizer->model_max_length) {
    tokenizer->model_max_length = static_cast<int>(*max_length);
  }
}

}  // namespace dragoman
