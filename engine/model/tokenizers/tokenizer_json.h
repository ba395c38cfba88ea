// Reads tokenizer.json, the file of Hugging Face's tokenizers library. Supports tokenizers that
// were converted from SentencePiece (engine/text/pipeline/pipeline_model.h), and BART's BPE of
// bytes (engine/text/pipeline/byte_bpe.h). Both may have added tokens and a template for sources.
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
    bool is_new = false;  // whether the model lacks the piece
  };
  std::vector<std::string> pieces;  // by id, including added tokens; "" for an id without a piece
  std::vector<Added> added;
  // The template for a source: special tokens, and "$A", which stands for the text. Empty if the
  // file has no template.
  std::vector<std::string> layout;
  // The model that cuts the text between added tokens. For a BPE of bytes, this is nullptr: that
  // model depends on the tokenizer class, so UseByteBpe (tokenizer_files.h) makes it from
  // `byte_merges`.
  std::shared_ptr<const SubwordModel> model;
  std::vector<BpeMerge> byte_merges;
  bool adds_prefix_space = false;  // for a BPE of bytes: add_prefix_space of pre_tokenizer
};

// Returns INVALID_ARGUMENT for malformed text and UNIMPLEMENTED for unsupported fields. Both name
// `file`, the field, what was found and what was expected.
absl::StatusOr<TokenizerJson> ParseTokenizerJson(std::string_view text, std::string_view file);

}  // namespace dragoman::engine
