// Reads the vocabularies, special tokens, languages and SentencePiece models of a directory with
// Marian's files. A vocabulary is either a SentencePiece model, whose ids are also the network's,
// or a .yml file of pieces and ids. With a .yml file, source.spm and target.spm tokenize the texts
// (side_vocabularies.h).
//
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/tokenizers/model_tokens.h"
#include "engine/model/tokenizers/tokenizer_description.h"

namespace dragoman::engine {

struct MarianVocabularyFiles {
  // The names of the two sides' files; both may be the same.
  std::string source;
  std::string target;
  std::string model;  // the file of the network
};

// Returns the languages in the file name of a Firefox model: "de" and "en" for vocab.deen.spm.
// Returns nullopt if the name does not have four letters in this place.
std::optional<std::pair<std::string, std::string>> LanguagesOfName(std::string_view file);

// Reads the vocabularies, which must fit the network's `sizes`, and writes the special tokens to
// `ids`. Errors are those of ModelLayout::load; not all messages begin with the directory.
absl::StatusOr<ModelTokenizer> ReadMarianVocabularies(const ModelFolder& folder,
                                                      const MarianVocabularyFiles& files,
                                                      const EmbeddingSizes& sizes, SpecialIds* ids);

}  // namespace dragoman::engine
