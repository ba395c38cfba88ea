// How the classes of transformers' tokenizers read their files. A family of models names the
// classes that its checkpoints may have (families/family.h).
//
// Constants; any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/model/tokenizers/languages.h"
#include "engine/model/tokenizers/tokenizer_config.h"

namespace dragoman::engine {

struct CheckpointConfig;
struct ModelTokenizer;

// A way to read a tokenizer's files. Several classes may share one.
struct TokenizerScheme {
  // Reads the scheme's files; see ReadCheckpointTokenizer in checkpoint_tokenizer.h.
  absl::StatusOr<ModelTokenizer> (*read)(const ModelFolder& folder, TokenizerChoice choice,
                                         CheckpointConfig* config) = nullptr;
  bool has_json = true;                    // tokenizer.json may replace its files
  std::string_view mask_piece = "<mask>";  // unless tokenizer_config.json names it
  // Refuses fields of tokenizer_config.json that only another scheme has; may be nullptr.
  void (*check)(const TokenizerConfig& config, JsonFields* fields) = nullptr;

  // The other fields are the differences between fairseq's models (fairseq_tokenizer.cc).
  bool has_ids_of_spm = false;  // ids are SentencePiece's plus one; else vocab.json's
  // The languages in the order of their ids, for models without a file of these ids.
  std::span<const std::string_view> languages = {};
  bool lists_languages = false;  // additional_special_tokens may list other languages
  LanguageTokenPlacement placement = LanguageTokenPlacement::kBoth;
  std::optional<LanguageTokenPlacement> legacy_placement = {};  // with `legacy_behaviour`
  // The scheme of a model without vocab.json, or whose class is tokenizer.json itself.
  const TokenizerScheme* without_vocabulary = nullptr;
  // The scheme of a model without a tokenizer class that has room for only that scheme's languages.
  const TokenizerScheme* fewer_languages = nullptr;
};

extern const TokenizerScheme kMarianTokenizer;    // vocab.json, source.spm, target.spm
extern const TokenizerScheme kM2m100Tokenizer;    // vocab.json, sentencepiece.bpe.model
extern const TokenizerScheme kSmall100Tokenizer;  // the same, with the target's token in the source
extern const TokenizerScheme kNllbTokenizer;      // only sentencepiece.bpe.model
extern const TokenizerScheme kMbart50Tokenizer;   // the same
extern const TokenizerScheme kMbart25Tokenizer;   // the same
extern const TokenizerScheme kT5Tokenizer;        // spiece.model
extern const TokenizerScheme kBartTokenizer;      // vocab.json, merges.txt
extern const TokenizerScheme kPegasusTokenizer;   // spiece.model, after 103 other ids
extern const TokenizerScheme kFsmtTokenizer;      // vocab-src.json, vocab-tgt.json, merges.txt

// A class that tokenizer_config.json may name.
struct TokenizerClass {
  std::string_view name;
  const TokenizerScheme* scheme;
};

}  // namespace dragoman::engine
