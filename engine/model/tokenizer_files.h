// A tokenizer's files, which are a checkpoint's of Hugging Face, also beside a model of a layout that
// has none of its own: what people copy there.
//
// Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/model_folder.h"
#include "engine/model/model_source.h"
#include "engine/model/tokenizer_json.h"
#include "engine/model/vocabulary.h"

namespace dragoman {

// tokenizer_config.json of a Hugging Face checkpoint; empty where there is none.
struct TokenizerFields {
  std::string tokenizer_class;
  std::string source_language;
  std::string target_language;
  bool legacy = false;            // legacy_behaviour, of an NllbTokenizer
  bool add_prefix_space = false;  // of a BartTokenizer
};
absl::StatusOr<TokenizerFields> ReadTokenizerFields(const ModelFolder& folder);

// INVALID_ARGUMENT for a SentencePiece model of which less than half of the pieces are in the
// vocabulary: somebody put it there by mistake, and every piece would be unknown.
absl::Status CheckBelongs(std::string_view spm, std::string_view spm_file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);
// The same of a tokenizer of another kind, by its pieces.
absl::Status CheckBelongs(const std::vector<std::string>& pieces, std::string_view file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);

// tokenizer.json, whose bytes and model go into `facts`.
absl::StatusOr<TokenizerJson> ReadTokenizerJson(const ModelFolder& folder, TokenizerFacts* facts);

// A BartTokenizer's vocab.json and merges.txt, which go into `facts` with what cuts texts by them: the
// pieces, by id.
absl::StatusOr<std::vector<std::string>> ReadByteBpe(const ModelFolder& folder,
                                                     bool add_prefix_space, TokenizerFacts* facts);

// What the classes of T5's tokenizers take from it: UNIMPLEMENTED unless a source is the text and one
// token.
absl::Status RequireTextAndEnd(const TokenizerJson& json);

// What those of fairseq's models do: UNIMPLEMENTED for an added token that is not special.
absl::Status RequireSpecialAdded(const TokenizerJson& json);

}  // namespace dragoman
