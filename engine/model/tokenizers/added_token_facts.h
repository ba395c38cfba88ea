// The tokens that were added to a tokenizer, for its description (engine/text/added_tokens.h).
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

// Puts a token at its id among a tokenizer's pieces, which may grow up to `rows`; nothing changes if it
// is there already. UNIMPLEMENTED naming `file` where another piece has the id; INVALID_ARGUMENT where
// the model has no such row. Whether another id has the same piece is not checked.
absl::Status PlaceAddedToken(int id, const AddedToken& token, std::string_view file, int rows,
                             std::vector<std::string>* pieces);

// Sets facts->added, by facts->rules, to all of these tokens that the vocabulary has, if one of them
// is cut out of texts, or if there are prompts. Special are the tokens that are marked so, and those
// that `facts` and `tokens` list as special. `json` is empty unless tokenizer.json is followed.
void SetAddedTokens(const std::vector<TokenizerJson::Added>& json, const AddedTokenMap& added,
                    const std::vector<AddedToken>& listed, const Vocabulary& vocabulary,
                    const SpecialIds& tokens, bool has_prompts, TokenizerDescription* facts);

// Adds to `notes` a line for the log about the special tokens `pieces`, which neither the family nor
// the file accounts for; nothing where there are none.
void NoteSpecialTokens(const std::vector<std::string>& pieces, std::string_view file,
                       std::vector<std::string>* notes);

}  // namespace dragoman
