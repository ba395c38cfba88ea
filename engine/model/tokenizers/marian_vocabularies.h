// Reads the vocabularies, special tokens, languages and SentencePiece models of a directory with
// Marian's files. A vocabulary is a SentencePiece model with the model's ids, or a .yml of pieces
// and ids next to source.spm and target.spm (side_vocabularies.h).
//
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/tokenizers/model_tokens.h"
#include "engine/model/tokenizers/tokenizer_description.h"

namespace dragoman::engine {

struct MarianVocabularyFiles {
  // The names of the two sides' files; both may be the same.
  std::string source;
  std::string target;
  std::string model;  // the model's file
};

// Returns UNIMPLEMENTED if `choice` is kFast: these files have only SentencePiece models.
absl::Status CheckMarianTokenizerChoice(TokenizerChoice choice);

// Returns the languages in a Firefox model's file name, such as vocab.deen.spm: four letters, two
// for each language. Returns nullopt if the name has none.
std::optional<std::pair<std::string, std::string>> LanguagesOfName(std::string_view file);

// Reads the vocabularies, which must fit the network's `sizes`, and writes the special tokens to
// `ids`. Errors are those of ModelSource::Load; not all messages begin with the directory.
absl::StatusOr<ModelTokenizer> ReadMarianVocabularies(const ModelFolder& folder,
                                                      const MarianVocabularyFiles& files,
                                                      const EmbeddingSizes& sizes, SpecialIds* ids);

}  // namespace dragoman::engine
