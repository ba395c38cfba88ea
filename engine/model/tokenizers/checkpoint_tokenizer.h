// Reads the vocabularies, special tokens and languages of a Hugging Face checkpoint by the scheme
// of its tokenizer's class (tokenizer_scheme.h). Each scheme has a file: marian_tokenizer.cc, ...
//
// Thread-safe. Errors are those of ModelSource::Load; not all messages begin with the directory.
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
struct TokenizerSettings {
  const TokenizerScheme* scheme = &kMarianTokenizer;
  bool scheme_given = false;    // tokenizer_class names it
  bool is_backend = false;      // the class is tokenizer.json itself (IsTokenizersBackend)
  std::string source_language;  // as in tokenizer_config.json or config.json; "": in neither
  std::string target_language;
  std::string unk_piece = "<unk>";
  std::string eos_piece = "</s>";
  std::string pad_piece = "<pad>";
  bool separate_vocabularies = false;
  int model_max_length = 0;  // in tokens; at most the model's positions
  // All kinds except Marian's have these.
  std::string bos_piece = "<s>";
  std::string mask_piece = "<mask>";
  bool is_wmt21 = false;  // the languages of M2M-100's variant for WMT 21
  bool legacy = false;    // NLLB's: the source's language token is after its end
  // The same as in TokenizerConfig.
  std::vector<AddedToken> listed;
  std::string listed_file;
  AddedTokenMap added;
  std::string added_file;
  std::optional<bool> add_prefix_space;  // BART's and T5's
  // T5's settings.
  bool is_legacy_t5 = true;             // `legacy`: SentencePiece alone cuts texts
  std::optional<int> extra_ids;         // number of tokens <extra_id_N> that the tokenizer adds
  std::vector<LanguagePrompt> prompts;  // from config.json's tasks
};

// Overwrites the settings that the files give. The scheme becomes that of the named class, which
// must be one of `classes`. Records errors of tokenizer_config.json in `fields`. REQUIRES: the
// scheme is the family's default and model_max_length is the number of positions.
void ApplyTokenizerConfig(TokenizerConfig config, std::span<const TokenizerClass> classes,
                          JsonFields* fields, TokenizerSettings* tokenizer);

// The configuration of a checkpoint's tokens. Reading the tokenizer completes it.
struct CheckpointConfig {
  EmbeddingSizes sizes;
  SpecialIds ids;  // without unk, which comes from the vocabulary
  TokenizerSettings tokenizer;
  std::vector<std::string> notes;  // for the log
};

// Reads the tokenizer by config->tokenizer.scheme. Adds the special tokens that the vocabularies
// define to config->ids, and notes for the log to config->notes. Returns an error if the
// vocabularies and the configuration disagree.
absl::StatusOr<ModelTokenizer> ReadCheckpointTokenizer(const ModelFolder& folder,
                                                       TokenizerChoice choice,
                                                       CheckpointConfig* config);

// The schemes use the following functions. Returns the id of a required special token.
absl::StatusOr<int> SpecialId(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece);
// Checks that EOS and pad have the ids that the configuration gives them.
absl::Status CheckSpecialIds(const Vocabulary& target, std::string_view file,
                             const CheckpointConfig& config);
// Chooses by the files in the folder between the slow tokenizer, which reads `slow_file`, and
// tokenizer.json (RulesOf). Class TokenizersBackend always means tokenizer.json.
absl::StatusOr<TokenizerRules> RulesOfFiles(const ModelFolder& folder, TokenizerChoice choice,
                                            std::string_view slow_file, CheckpointConfig* config);
// Checks that a source has room for the model's `special` tokens and one of text.
absl::Status CheckSourceRoom(const CheckpointConfig& config, int special);

}  // namespace dragoman::engine
