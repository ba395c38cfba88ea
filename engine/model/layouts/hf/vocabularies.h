// Vocabularies, special tokens and languages of a Hugging Face directory, by the class of its
// tokenizer. One file for each kind: layouts/hf/marian_tokenizer.cc, layouts/hf/fairseq_tokenizer.cc,
// layouts/hf/t5_tokenizer.cc, layouts/hf/bart_tokenizer.cc, layouts/hf/pegasus_tokenizer.cc.
//
// Errors as ModelSource::Load; the directory is not in front of all messages. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/layouts/hf/config.h"
#include "engine/model/layouts/layout.h"

namespace dragoman {

struct HfVocabularies {
  Vocabulary source;
  std::optional<Vocabulary> own_target;  // empty: the source's is shared
  TokenizerFacts facts;
  LanguageMap languages;

  const Vocabulary& target() const { return own_target ? *own_target : source; }
};

// What the vocabularies say of the special tokens goes into config->spec.tokens, and what a log should
// say of the files into config->notes; that they and the configuration agree is checked.
absl::StatusOr<HfVocabularies> ReadHfVocabularies(const ModelFolder& folder, TokenizerChoice choice,
                                                  HfConfig* config);

// The kinds, for the above.
absl::StatusOr<HfVocabularies> ReadMarianTokenizer(const ModelFolder& folder,
                                                   TokenizerChoice choice, HfConfig* config);
absl::StatusOr<HfVocabularies> ReadFairseqTokenizer(const ModelFolder& folder,
                                                    TokenizerChoice choice, HfConfig* config);
absl::StatusOr<HfVocabularies> ReadT5Tokenizer(const ModelFolder& folder, TokenizerChoice choice,
                                               HfConfig* config);
absl::StatusOr<HfVocabularies> ReadBartTokenizer(const ModelFolder& folder, TokenizerChoice choice,
                                                 HfConfig* config);
absl::StatusOr<HfVocabularies> ReadPegasusTokenizer(const ModelFolder& folder,
                                                    TokenizerChoice choice, HfConfig* config);

// For them: the id of a special token that must be there, ...
absl::StatusOr<int> SpecialId(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece);
// ... that EOS and pad have the ids that the configuration gives them, ...
absl::Status CheckSpecialIds(const Vocabulary& target, std::string_view file,
                             const HfConfig& config);
// ... and that a source has room for the model's `special` tokens and one of text.
absl::Status CheckSourceRoom(const HfConfig& config, int special);

}  // namespace dragoman
