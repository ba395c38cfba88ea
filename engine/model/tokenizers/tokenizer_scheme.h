// Defines TokenizerScheme, which says how to read the files of a tokenizer class of transformers. A
// family of models (families/family.h) names the tokenizer classes that its checkpoints may have.
//
// Thread-safety: constants.
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

// Several classes may share a scheme.
struct TokenizerScheme {
  // Reads the files. ReadCheckpointTokenizer in checkpoint_tokenizer.h has the contract.
  absl::StatusOr<ModelTokenizer> (*read)(const ModelFolder& folder, TokenizerChoice choice,
                                         CheckpointConfig* config) = nullptr;
  bool has_json = true;                    // whether tokenizer.json may replace the other files
  std::string_view mask_piece = "<mask>";  // used unless tokenizer_config.json names one
  // Records errors for fields of tokenizer_config.json that this scheme does not support; may be
  // nullptr.
  void (*check)(const TokenizerConfig& config, JsonFields* fields) = nullptr;

  // The following members are only for the schemes of fairseq's models (fairseq_tokenizer.cc).
  // True: an id is SentencePiece's id plus one. False: vocab.json has the ids.
  bool has_ids_of_spm = false;
  // The languages in the order of their ids. Used if no file of the model has these ids.
  std::span<const std::string_view> languages = {};
  bool lists_languages = false;  // whether additional_special_tokens may list other languages
  LanguageTokenPlacement placement = LanguageTokenPlacement::kBoth;
  std::optional<LanguageTokenPlacement> legacy_placement = {};  // used with legacy_behaviour
  // The scheme to use instead if the model has no vocab.json, or if its class is TokenizersBackend
  // (IsTokenizersBackend).
  const TokenizerScheme* without_vocabulary = nullptr;
  // The scheme to use instead if the model names no tokenizer class and its vocabulary has room for
  // only that scheme's languages.
  const TokenizerScheme* fewer_languages = nullptr;
};

extern const TokenizerScheme kMarianTokenizer;  // vocab.json, source.spm, target.spm
extern const TokenizerScheme kM2m100Tokenizer;  // vocab.json, sentencepiece.bpe.model
// Like M2M-100, but the target's language token is in the source.
extern const TokenizerScheme kSmall100Tokenizer;
extern const TokenizerScheme kNllbTokenizer;     // only sentencepiece.bpe.model
extern const TokenizerScheme kMbart50Tokenizer;  // only sentencepiece.bpe.model
extern const TokenizerScheme kMbart25Tokenizer;  // only sentencepiece.bpe.model
extern const TokenizerScheme kT5Tokenizer;       // spiece.model
extern const TokenizerScheme kBartTokenizer;     // vocab.json, merges.txt
extern const TokenizerScheme kPegasusTokenizer;  // spiece.model, to whose ids the network adds 103
extern const TokenizerScheme kFsmtTokenizer;     // vocab-src.json, vocab-tgt.json, merges.txt

// A tokenizer class that tokenizer_config.json may name, and its scheme.
struct TokenizerClass {
  std::string_view name;
  const TokenizerScheme* scheme;
};

}  // namespace dragoman::engine
