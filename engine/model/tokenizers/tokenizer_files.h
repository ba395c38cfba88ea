// A tokenizer's files, which are a checkpoint's of Hugging Face, also beside a model of a layout
// that has none of its own: what people copy there.
//
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/tokenizers/tokenizer_config.h"
#include "engine/model/tokenizers/tokenizer_description.h"
#include "engine/model/tokenizers/tokenizer_json.h"
#include "engine/model/tokenizers/vocabulary.h"
#include "engine/text/spm_file.h"

namespace dragoman {

// INVALID_ARGUMENT for a SentencePiece model of which less than half of the pieces are in the
// vocabulary: somebody put it there by mistake, and every piece would be unknown.
absl::Status CheckBelongs(std::string_view spm, std::string_view spm_file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);
// The same of a tokenizer of another kind, by its pieces.
absl::Status CheckBelongs(const std::vector<std::string>& pieces, std::string_view file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file);

// tokenizer.json, whose bytes and model go into `facts`, with the rules.
absl::StatusOr<TokenizerJson> ReadTokenizerJson(const ModelFolder& folder,
                                                TokenizerDescription* facts);

// One SentencePiece model for both sides, whose bytes go into `facts`.
absl::StatusOr<SpmFile> ReadSharedSpm(const ModelFolder& folder, std::string_view file,
                                      TokenizerDescription* facts);

// T5's way with it, where `legacy` of its tokenizer_config.json is false: into `facts`.
absl::Status UseT5Spaces(std::string_view unk_piece, std::optional<bool> add_prefix_space,
                         TokenizerDescription* facts);

// A BartTokenizer's vocab.json and merges.txt, which go into `facts` with what cuts texts by them:
// the pieces, by id.
absl::StatusOr<std::vector<std::string>> ReadByteBpe(const ModelFolder& folder,
                                                     bool add_prefix_space,
                                                     TokenizerDescription* facts);

// The same of a tokenizer.json (ReadTokenizerJson) with a BPE of bytes: its model goes into
// `facts`. UNIMPLEMENTED unless there is one, and a source is <s>, the text and </s>, by their
// names here. `add_prefix_space`: of every part of a text.
absl::Status UseByteBpe(const TokenizerJson& json, const std::string& bos, const std::string& eos,
                        bool add_prefix_space, TokenizerDescription* facts);

// UNIMPLEMENTED for a tokenizer.json with a BPE of bytes, which is BART's.
absl::Status RequireMetaspace(const TokenizerJson& json);

// What the classes of T5's tokenizers take from it: UNIMPLEMENTED unless a source is the text and
// one token.
absl::Status RequireTextAndEnd(const TokenizerJson& json);

}  // namespace dragoman
