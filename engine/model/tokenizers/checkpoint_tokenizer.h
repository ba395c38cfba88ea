// Reads the vocabularies, special tokens and languages of a Hugging Face checkpoint. The class of
// its tokenizer determines the scheme, which is the way to read the files (tokenizer_scheme.h).
// Each scheme has a file: marian_tokenizer.cc and so on.
//
// Thread-safe. Errors are those of ModelLayout::load, but not all messages begin with the
// directory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/tokenizers/model_tokens.h"
#include "engine/model/tokenizers/tokenizer_description.h"
#include "engine/model/tokenizers/tokenizer_scheme.h"
#include "engine/text/pipeline/added_tokens.h"

namespace dragoman::engine {

// The settings of a checkpoint's tokenizer: the family's defaults, overridden by
// tokenizer_config.json and the files next to it.
struct TokenizerSettings : TokenizerFields {
  const TokenizerScheme* scheme = &kMarianTokenizer;
  bool scheme_given = false;    // whether tokenizer_class determines the scheme
  bool is_backend = false;      // result of IsTokenizersBackend for the class
  std::string source_language;  // from tokenizer_config.json or config.json; "": in neither file
  std::string target_language;
  std::string unk_piece = "<unk>";
  std::string eos_piece = "</s>";
  std::string pad_piece = "<pad>";
  int model_max_length = 0;  // in tokens; at most the number of position embeddings
  // All schemes except Marian's use the following two members.
  std::string bos_piece = "<s>";
  std::string mask_piece = "<mask>";
  bool legacy = false;  // for NLLB: the source's language token is after EOS
  // T5's settings.
  bool is_legacy_t5 = true;             // field `legacy`; false: T5SentencePiece tokenizes texts
  std::vector<LanguagePrompt> prompts;  // from the tasks of config.json
};

// Sets the members of `tokenizer` for which the files have a value. If the files name a tokenizer
// class, it must be one of `classes`, and its scheme becomes tokenizer->scheme. Records errors in
// `fields`. REQUIRES: tokenizer->scheme is the family's default and tokenizer->model_max_length is
// the number of position embeddings.
void ApplyTokenizerConfig(TokenizerConfig config, std::span<const TokenizerClass> classes,
                          JsonFields* fields, TokenizerSettings* tokenizer);

// The facts about tokens in a checkpoint's configuration. ReadCheckpointTokenizer adds the facts
// that only the vocabularies contain.
struct CheckpointConfig {
  EmbeddingSizes sizes;
  SpecialIds ids;  // `unk` comes from the vocabulary
  TokenizerSettings tokenizer;
  std::vector<std::string> notes;  // lines for the log
};

// Reads the tokenizer by config->tokenizer.scheme. Sets the special tokens of config->ids that the
// vocabularies define, and appends notes for the log to config->notes. Returns an error if the
// vocabularies and the configuration disagree.
absl::StatusOr<ModelTokenizer> ReadCheckpointTokenizer(const ModelFolder& folder,
                                                       TokenizerChoice choice,
                                                       CheckpointConfig* config);

// The schemes use the following functions.
//
// Returns the id of a special token, or INVALID_ARGUMENT if the vocabulary lacks it.
absl::StatusOr<int> SpecialId(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece);
// Checks that EOS and <pad> have the same ids in the vocabulary and in the configuration.
absl::Status CheckSpecialIds(const Vocabulary& target, std::string_view file,
                             const CheckpointConfig& config);
// Decides whether to tokenize like transformers' slow tokenizer, which reads `slow_file`, or like
// its fast tokenizer, which reads tokenizer.json. Looks at the files in the folder (RulesOf in
// tokenizer_rules.h). For the class TokenizersBackend, it is always the fast one.
absl::StatusOr<TokenizerRules> RulesOfFiles(const ModelFolder& folder, TokenizerChoice choice,
                                            std::string_view slow_file, CheckpointConfig* config);
// Checks that the longest source has room for `special` special tokens and one token of text.
absl::Status CheckSourceRoom(const CheckpointConfig& config, int special);

// Calls CheckSpecialIds and CheckSourceRoom for a vocabulary of both sides. Sets config->ids.unk,
// and the EOS, <unk> and longest source of `facts`.
absl::Status SetSharedTokens(const Vocabulary& vocabulary, std::string_view file, int special,
                             CheckpointConfig* config, TokenizerDescription* facts);

}  // namespace dragoman::engine
