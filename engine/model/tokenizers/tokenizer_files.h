// Functions that read the tokenizer's files of a Hugging Face checkpoint and their added tokens
// (engine/text/pipeline/added_tokens.h). The files may be next to a model of another layout.
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

inline constexpr std::string_view kMergesFile = "merges.txt";    // of byte-level and Moses' BPE
inline constexpr std::string_view kSpieceFile = "spiece.model";  // of T5 and Pegasus

// Returns INVALID_ARGUMENT if less than half of the pieces of a SentencePiece model are in the
// vocabulary. Then the file belongs to another translation model, and most pieces would become
// <unk>.
absl::Status CheckBelongs(std::string_view spm, std::string_view spm_file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);
// Makes the same check for a tokenizer that is not a SentencePiece model. `pieces` are its pieces.
absl::Status CheckBelongs(const std::vector<std::string>& pieces, std::string_view file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);

// Reads a vocab.json. `size` is the argument of Vocabulary::Parse.
absl::StatusOr<Vocabulary> ReadVocabulary(const ModelFolder& folder, std::string_view file,
                                          std::optional<int> size);

// Reads tokenizer.json. Stores its bytes, its subword model and TokenizerRules in `facts`.
absl::StatusOr<TokenizerJson> ReadTokenizerJson(const ModelFolder& folder,
                                                TokenizerDescription* facts);

// Reads one SentencePiece model for both sides. Stores its bytes in `facts`.
absl::StatusOr<SpmFile> ReadSharedSpm(const ModelFolder& folder, std::string_view file,
                                      TokenizerDescription* facts);

// Sets facts->model to a T5SentencePiece, which T5 uses if `legacy` of tokenizer_config.json is
// false.
absl::Status UseT5Spaces(std::string_view unk_piece, std::optional<bool> add_prefix_space,
                         TokenizerDescription* facts);

// Reads a BartTokenizer's vocab.json and merges.txt into `facts`. Returns the pieces by id.
absl::StatusOr<std::vector<std::string>> ReadByteBpe(const ModelFolder& folder,
                                                     bool add_prefix_space,
                                                     TokenizerDescription* facts);

// Stores in `facts` the model of a tokenizer.json (ReadTokenizerJson) with a BPE of bytes. Returns
// UNIMPLEMENTED if the file has another model, or if its template for a source is not `bos`, the
// text and `eos`. With `add_prefix_space`, the model adds a space before each part of a text
// between added tokens.
absl::Status UseByteBpe(const TokenizerJson& json, const std::string& bos, const std::string& eos,
                        bool add_prefix_space, TokenizerDescription* facts);

// Returns UNIMPLEMENTED if the tokenizer.json has a BPE of bytes, which only BART uses.
absl::Status RequireMetaspace(const TokenizerJson& json);

// Returns UNIMPLEMENTED unless the template for a source is the text followed by one token, as in
// T5.
absl::Status RequireTextAndEnd(const TokenizerJson& json);

// Sets pieces[id] to the token's text. `pieces` may grow to `rows` elements. Returns UNIMPLEMENTED,
// which names `file`, if another piece has this id, and INVALID_ARGUMENT if `id` is not below
// `rows`. Does not check whether another id has the same piece.
absl::Status PlaceAddedToken(int id, const AddedToken& token, std::string_view file, int rows,
                             std::vector<std::string>* pieces);

// Returns UNIMPLEMENTED, which names `file`, if the vocabulary lacks one of the `listed` tokens.
// `supported` is for the message.
absl::Status CheckListed(const std::vector<AddedToken>& listed, std::string_view file,
                         const Vocabulary& vocabulary, std::string_view supported);

// Sets facts->added to the tokens of `json`, `added` and `listed` that are in the vocabulary. If
// all of them are special and there are no prompts, leaves it empty, because special tokens are cut
// out of prompts only. A token is special if it is marked as special, or if its id is special in
// `facts` or `tokens`. `json` is empty unless tokenizer.json is used.
void SetAddedTokens(const std::vector<TokenizerJson::Added>& json, const AddedTokenMap& added,
                    const std::vector<AddedToken>& listed, const Vocabulary& vocabulary,
                    const SpecialIds& tokens, bool has_prompts, TokenizerDescription* facts);

// Appends to `notes` a line about `pieces`, which are special tokens in `file` that the model's
// family does not have. Appends nothing if `pieces` is empty.
void NoteSpecialTokens(const std::vector<std::string>& pieces, std::string_view file,
                       std::vector<std::string>* notes);

}  // namespace dragoman::engine
