// Vocabularies, special tokens and languages of a checkpoint of Hugging Face, read by the scheme of
// its tokenizer's class (tokenizer_scheme.h). One file for each way to read them: marian_tokenizer.cc,
// fairseq_tokenizer.cc, t5_tokenizer.cc, bart_tokenizer.cc, pegasus_tokenizer.cc, fsmt_tokenizer.cc.
//
// Thread-safe. Errors are those of ModelSource::Load; not all of them begin with the directory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/spec/model_spec.h"
#include "engine/model/tokenizers/languages.h"
#include "engine/model/tokenizers/tokenizer_description.h"
#include "engine/model/tokenizers/tokenizer_scheme.h"
#include "engine/model/tokenizers/tokenizer_settings.h"
#include "engine/model/tokenizers/vocabulary.h"

namespace dragoman {

// The contents of the configuration files; reading the tokenizer completes them.
struct CheckpointConfig {
  ModelSpec spec;  // without tokens.unk, which comes from the vocabulary
  TokenizerSettings tokenizer;
  std::vector<std::string> notes;  // for the log: fields that are set and have no effect
};

struct CheckpointTokenizer {
  Vocabulary source;
  std::optional<Vocabulary> own_target;  // empty: the source's is shared
  TokenizerDescription facts;
  LanguageMap languages;

  const Vocabulary& target() const { return own_target ? *own_target : source; }
};

// Reads by config->tokenizer.scheme. The special tokens that the vocabularies define go into
// config->spec.tokens, and notes for the log into config->notes. The vocabularies and the
// configuration must agree.
absl::StatusOr<CheckpointTokenizer> ReadCheckpointTokenizer(const ModelFolder& folder,
                                                            TokenizerChoice choice,
                                                            CheckpointConfig* config);

// The schemes use this and the following. Returns the id of a special token that must be there.
absl::StatusOr<int> SpecialId(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece);
// Checks that EOS and pad have the ids that the configuration gives them.
absl::Status CheckSpecialIds(const Vocabulary& target, std::string_view file,
                             const CheckpointConfig& config);
// Checks that a source has room for the model's `special` tokens and one of text.
absl::Status CheckSourceRoom(const CheckpointConfig& config, int special);
// Refuses rules that compare the tokens of an output with those of its source, for models whose
// sources have ids of their own.
absl::Status RefuseRulesOfTheSource(const GenerationDefaults& generation);

}  // namespace dragoman
