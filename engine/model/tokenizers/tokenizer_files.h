// Reads the tokenizer's files of a Hugging Face checkpoint, also if they were copied next to a
// model of another layout, and their added tokens (engine/text/pipeline/added_tokens.h).
//
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/tokenizers/model_tokens.h"
#include "engine/model/tokenizers/tokenizer_config.h"
#include "engine/model/tokenizers/tokenizer_description.h"
#include "engine/model/tokenizers/tokenizer_json.h"
#include "engine/model/tokenizers/vocabulary.h"
#include "engine/text/sentencepiece/spm_file.h"

namespace dragoman::engine {

// Returns INVALID_ARGUMENT if less than half of the pieces of a SentencePiece model are in the
// vocabulary: it belongs to another model, and most pieces would be unknown.
absl::Status CheckBelongs(std::string_view spm, std::string_view spm_file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);
// The same for a tokenizer of another kind, by its pieces.
absl::Status CheckBelongs(const std::vector<std::string>& pieces, std::string_view file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);

// Reads tokenizer.json. Stores its bytes, its model and the rules in `facts`.
absl::StatusOr<TokenizerJson> ReadTokenizerJson(const ModelFolder& folder,
                                                TokenizerDescription* facts);

// Reads one SentencePiece model for both sides. Stores its bytes in `facts`.
absl::StatusOr<SpmFile> ReadSharedSpm(const ModelFolder& folder, std::string_view file,
                                      TokenizerDescription* facts);

// Makes `facts` treat spaces as T5 does if `legacy` of tokenizer_config.json is false.
absl::Status UseT5Spaces(std::string_view unk_piece, std::optional<bool> add_prefix_space,
                         TokenizerDescription* facts);

// Reads a BartTokenizer's vocab.json and merges.txt into `facts`. Returns the pieces by id.
absl::StatusOr<std::vector<std::string>> ReadByteBpe(const ModelFolder& folder,
                                                     bool add_prefix_space,
                                                     TokenizerDescription* facts);

// The same for a tokenizer.json (ReadTokenizerJson) with a BPE of bytes. Stores its model in
// `facts`. Returns UNIMPLEMENTED for another model, or if a source is not `bos`, the text and
// `eos`. `add_prefix_space` adds a space before every part of a text.
absl::Status UseByteBpe(const TokenizerJson& json, const std::string& bos, const std::string& eos,
                        bool add_prefix_space, TokenizerDescription* facts);

// Returns UNIMPLEMENTED for a tokenizer.json with a BPE of bytes, which is BART's.
absl::Status RequireMetaspace(const TokenizerJson& json);

// Returns UNIMPLEMENTED unless a source is the text and one token, as in T5's template.
absl::Status RequireTextAndEnd(const TokenizerJson& json);

// Adds a token to a tokenizer's pieces at its id, unless it is already there. The pieces may grow
// to `rows`. Returns UNIMPLEMENTED naming `file` if another piece has the id, and INVALID_ARGUMENT
// if the model has no such row. Does not check whether another id has the same piece.
absl::Status PlaceAddedToken(int id, const AddedToken& token, std::string_view file, int rows,
                             std::vector<std::string>* pieces);

// Sets facts->added to all of these tokens that the vocabulary has, if one of them is cut out of
// texts or if there are prompts. A token is special if it is marked as special, or if `facts` or
// `tokens` name it. `json` is empty unless tokenizer.json is followed.
void SetAddedTokens(const std::vector<TokenizerJson::Added>& json, const AddedTokenMap& added,
                    const std::vector<AddedToken>& listed, const Vocabulary& vocabulary,
                    const SpecialIds& tokens, bool has_prompts, TokenizerDescription* facts);

// Adds to `notes` a line about the special tokens `pieces`, for which neither the family nor the
// file accounts. Adds nothing if there are none.
void NoteSpecialTokens(const std::vector<std::string>& pieces, std::string_view file,
                       std::vector<std::string>* notes);

}  // namespace dragoman::engine
