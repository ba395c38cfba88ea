// A tokenizer's files beside a model of a layout that has none of its own: what people copy there
// from a checkpoint.
//
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/model_folder.h"
#include "engine/model/vocabulary.h"

namespace dragoman {

// tokenizer_config.json of a Hugging Face checkpoint; empty where there is none.
struct TokenizerFields {
  std::string tokenizer_class;
  std::string source_language;
  std::string target_language;
};
absl::StatusOr<TokenizerFields> ReadTokenizerFields(const ModelFolder& folder);

// INVALID_ARGUMENT for a SentencePiece model of which less than half of the pieces are in the
// vocabulary: somebody put it there by mistake, and every piece would be unknown.
absl::Status CheckBelongs(std::string_view spm, std::string_view spm_file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);

}  // namespace dragoman
