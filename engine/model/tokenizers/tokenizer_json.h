// Reader of tokenizer.json, the file of Hugging Face's tokenizers library. It reads tokenizers converted
// from SentencePiece (a Unigram or BPE model after Metaspace, with a precompiled charsmap and small
// steps before it) and BART's (a BPE of bytes), added tokens, and a template around the text.
//
// Pure function; thread-safe.
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
    bool is_new = false;  // not a piece of the model
  };
  std::vector<std::string> pieces;  // by id, added tokens included; "" for an id without a piece
  std::vector<Added> added;
  // The template of a source: special tokens, and "$A" for the text; empty if the file has none.
  std::vector<std::string> layout;
  // Cuts texts that have no added token in them. Null for a BPE of bytes, whose merges are below and
  // whose model depends on its class (MakeByteBpe).
  std::shared_ptr<const SubwordModel> model;
  std::vector<BpeMerge> byte_merges;
  bool adds_prefix_space = false;  // a BPE of bytes: add_prefix_space of its pre_tokenizer
};

// INVALID_ARGUMENT for what is malformed, UNIMPLEMENTED for what is well-formed and not supported;
// both name `file`, the field, what was found and what was expected.
absl::StatusOr<TokenizerJson> ParseTokenizerJson(std::string_view text, std::string_view file);

}  // namespace dragoman::engine
