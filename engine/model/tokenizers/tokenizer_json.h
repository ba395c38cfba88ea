// Reads tokenizer.json, the file of Hugging Face's tokenizers library: tokenizers converted from
// SentencePiece (Unigram or BPE after Metaspace, with a precompiled charsmap and small steps before
// it), BART's (a BPE of bytes), added tokens, and a template around the text.
//
// Thread-safety: pure function.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/pipeline/bpe_merges.h"
#include "engine/text/subword_model.h"
#include "engine/text/token_splitter.h"

namespace dragoman::engine {

inline constexpr std::string_view kTokenizerJsonFile = "tokenizer.json";

struct TokenizerJson {
  struct Added {
    int id = 0;
    AddedToken token;
    bool is_new = false;  // the model does not have the piece
  };
  std::vector<std::string> pieces;  // by id, added tokens included; "" for an id without a piece
  std::vector<Added> added;
  // The template of a source: special tokens, and "$A" for the text; empty if the file has none.
  std::vector<std::string> layout;
  // Cuts texts without added tokens. nullptr for a BPE of bytes, whose model depends on the class
  // and is made of the merges below (MakeByteBpe).
  std::shared_ptr<const SubwordModel> model;
  std::vector<BpeMerge> byte_merges;
  bool adds_prefix_space = false;  // a BPE of bytes: add_prefix_space of pre_tokenizer
};

// Returns INVALID_ARGUMENT for malformed text and UNIMPLEMENTED for unsupported fields. Both name
// `file`, the field, what was found and what was expected.
absl::StatusOr<TokenizerJson> ParseTokenizerJson(std::string_view text, std::string_view file);

}  // namespace dragoman::engine
