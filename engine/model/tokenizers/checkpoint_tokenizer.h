// Vocabularies, special tokens and languages of a checkpoint of Hugging Face, read by the scheme of
// its tokenizer's class (tokenizer_scheme.h). One file for each way to read them: marian_tokenizer.cc,
// fairseq_tokenizer.cc, t5_tokenizer.cc, bart_tokenizer.cc, pegasus_tokenizer.cc, fsmt_tokenizer.cc.
//
// Thread-safe. Errors are those of ModelSource::Load; not all of them begin with the directory.
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

// The settings of a checkpoint's tokenizer: tokenizer_config.json and the files beside it, over the
// defaults of the family.
struct TokenizerSettings {
  const TokenizerScheme* scheme = &kMarianTokenizer;
  bool scheme_given = false;    // tokenizer_class gives it
  bool is_backend = false;      // the class is tokenizer.json as it is (IsTokenizersBackend)
  std::string source_language;  // as written there or in config.json; "" when neither says
  std::string target_language;
  std::string unk_piece = "<unk>";
  std::string eos_piece = "</s>";
  std::string pad_piece = "<pad>";
  bool separate_vocabularies = false;
  int model_max_length = 0;  // tokens; at most the model's positions
  // All kinds but Marian's have these.
  std::string bos_piece = "<s>";
  std::string mask_piece = "<mask>";
  bool is_wmt21 = false;  // languages of M2M-100's variant for WMT 21
  bool legacy = false;    // NLLB's: the source's language is after its end
  // The same as in TokenizerConfig.
  std::vector<AddedToken> listed;
  std::string listed_file;
  AddedTokenMap added;
  std::string added_file;
  std::optional<bool> add_prefix_space;  // BART's and T5's
  // T5's settings.
  bool is_legacy_t5 = true;             // `legacy`: SentencePiece alone cuts texts
  std::optional<int> extra_ids;         // tokens <extra_id_0> ... that the tokenizer adds
  std::vector<LanguagePrompt> prompts;  // from config.json's tasks
};

// Overwrites the settings that the files give; the scheme becomes that of the class that they name, one
// of `classes`. Errors in tokenizer_config.json are recorded in `fields`. REQUIRES: the scheme is the
// family's default and model_max_length is the number of positions.
void ApplyTokenizerConfig(TokenizerConfig config, std::span<const TokenizerClass> classes,
                          JsonFields* fields, TokenizerSettings* tokenizer);

// The configuration of a checkpoint's tokens, from its files; reading the tokenizer completes it.
struct CheckpointConfig {
  EmbeddingSizes sizes;
  SpecialIds ids;  // without unk, which comes from the vocabulary
  TokenizerSettings tokenizer;
  std::vector<std::string> notes;  // for the log
};

// Reads by config->tokenizer.scheme. The special tokens that the vocabularies define go into
// config->ids, and notes for the log into config->notes. The vocabularies and the configuration must
// agree.
absl::StatusOr<ModelTokenizer> ReadCheckpointTokenizer(const ModelFolder& folder,
                                                       TokenizerChoice choice,
                                                       CheckpointConfig* config);

// The schemes use this and the following. Returns the id of a special token that must be there.
absl::StatusOr<int> SpecialId(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece);
// Checks that EOS and pad have the ids that the configuration gives them.
absl::Status CheckSpecialIds(const Vocabulary& target, std::string_view file,
                             const CheckpointConfig& config);
// Chooses between the slow tokenizer, which reads `slow_file`, and tokenizer.json (RulesOf), by the files
// that are there. A tokenizer of class TokenizersBackend is tokenizer.json.
absl::StatusOr<TokenizerRules> RulesOfFiles(const ModelFolder& folder, TokenizerChoice choice,
                                            std::string_view slow_file, CheckpointConfig* config);
// Checks that a source has room for the model's `special` tokens and one of text.
absl::Status CheckSourceRoom(const CheckpointConfig& config, int special);

}  // namespace dragoman::engine
