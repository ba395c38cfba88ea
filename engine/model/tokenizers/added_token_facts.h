// The tokens that somebody added to a tokenizer, as its facts have them
// (engine/text/added_tokens.h).
//
// Pure functions; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/model/spec/model_spec.h"
#include "engine/model/tokenizers/tokenizer_config.h"
#include "engine/model/tokenizers/tokenizer_description.h"
#include "engine/model/tokenizers/tokenizer_json.h"
#include "engine/model/tokenizers/vocabulary.h"

namespace dragoman {

// Puts a token at its id among a tokenizer's pieces, which may grow up to `rows`; where it is
// already nothing changes. UNIMPLEMENTED naming `file` where another piece has the id;
// INVALID_ARGUMENT where the model has no such row. Whether the piece is there twice is not looked
// at.
absl::Status PlaceAddedToken(int id, const AddedToken& token, std::string_view file, int rows,
                             std::vector<std::string>* pieces);

// Sets facts->added, by facts->rules: all tokens of these that the vocabulary has, if one of them
// is cut out of texts, or there are prompts. Special are those that say so, and those that no text
// has by `facts` and `tokens`. `json` is empty unless tokenizer.json is followed.
void SetAddedTokens(const std::vector<TokenizerJson::Added>& json, const AddedTokenMap& added,
                    const std::vector<AddedToken>& listed, const Vocabulary& vocabulary,
                    const SpecialIds& tokens, bool has_prompts, TokenizerDescription* facts);

// A line for the log of those special tokens that are neither of the family nor of the file;
// nothing where there are none.
void NoteSpecialTokens(const std::vector<std::string>& pieces, std::string_view file,
                       std::vector<std::string>* notes);

}  // namespace dragoman
