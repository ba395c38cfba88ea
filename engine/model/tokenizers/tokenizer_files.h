// Readers of the tokenizer's files of a Hugging Face checkpoint, also where they were copied beside a
// model of a layout that has none of its own; and the added tokens (engine/text/pipeline/added_tokens.h) of such
// files.
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

// INVALID_ARGUMENT for a SentencePiece model of which less than half of the pieces are in the
// vocabulary: it is another model's, put there by mistake, and most pieces would be unknown.
absl::Status CheckBelongs(std::string_view spm, std::string_view spm_file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);
// The same for a tokenizer of another kind, by its pieces.
absl::Status CheckBelongs(const std::vector<std::string>& pieces, std::string_view file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);

// Reads tokenizer.json; its bytes and its model go into `facts`, with the rules.
absl::StatusOr<TokenizerJson> ReadTokenizerJson(const ModelFolder& folder,
                                                TokenizerDescription* facts);

// Reads one SentencePiece model for both sides; its bytes go into `facts`.
absl::StatusOr<SpmFile> ReadSharedSpm(const ModelFolder& folder, std::string_view file,
                                      TokenizerDescription* facts);

// Makes `facts` follow T5's treatment of spaces where `legacy` of tokenizer_config.json is false.
absl::Status UseT5Spaces(std::string_view unk_piece, std::optional<bool> add_prefix_space,
                         TokenizerDescription* facts);

// Reads a BartTokenizer's vocab.json and merges.txt, which go into `facts` with the model made from
// them. Returns the pieces by id.
absl::StatusOr<std::vector<std::string>> ReadByteBpe(const ModelFolder& folder,
                                                     bool add_prefix_space,
                                                     TokenizerDescription* facts);

// The same for a tokenizer.json (ReadTokenizerJson) with a BPE of bytes: its model goes into `facts`.
// UNIMPLEMENTED unless it has one, and a source is `bos`, the text and `eos`. `add_prefix_space` adds a
// space before every part of a text.
absl::Status UseByteBpe(const TokenizerJson& json, const std::string& bos, const std::string& eos,
                        bool add_prefix_space, TokenizerDescription* facts);

// UNIMPLEMENTED for a tokenizer.json with a BPE of bytes, which is BART's.
absl::Status RequireMetaspace(const TokenizerJson& json);

// Checks the template that T5's tokenizers require: UNIMPLEMENTED unless a source is the text and one
// token.
absl::Status RequireTextAndEnd(const TokenizerJson& json);

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

}  // namespace dragoman::engine
