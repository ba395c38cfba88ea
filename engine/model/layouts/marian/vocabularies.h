// Reads the vocabularies, special tokens, languages and SentencePiece models of a directory with
// Marian's files. A vocabulary is a SentencePiece model, whose ids are the model's, or a .yml of pieces
// and ids, beside which are source.spm and target.spm.
//
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/layouts/layout.h"
#include "engine/model/layouts/marian/config.h"

namespace dragoman {

// The names of the two sides' files; both may be the same.
struct MarianVocabularyFiles {
  std::string source;
  std::string target;
};

// Returns the pieces of a vocabulary.yml by id. The ids must be 0 to size - 1, each once.
// INVALID_ARGUMENT names `file`, the piece and what is wrong.
absl::StatusOr<std::vector<std::string>> ParseMarianVocabulary(std::string_view text,
                                                               std::string_view file);

// The languages in the name of a Firefox model's file, such as model.deen.intgemm.alphas.bin or
// vocab.deen.spm: four letters, two for each language. Nothing where the name has none.
std::optional<std::pair<std::string, std::string>> LanguagesOfName(std::string_view file);

// Makes a model that lacks only its network: network's spec with the tokens, the vocabularies, tokenizer
// and languages. Errors as ModelSource::Load; not all messages begin with the directory.
absl::StatusOr<LoadedModel> ReadMarianVocabularies(const ModelFolder& folder,
                                                   const MarianVocabularyFiles& files,
                                                   std::string_view model_file,
                                                   const MarianDecoder& decoder,
                                                   const MarianNetwork& network);

}  // namespace dragoman
