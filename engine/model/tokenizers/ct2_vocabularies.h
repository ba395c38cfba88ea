// Reads the vocabularies, special tokens, languages and tokenizer (ct2_tokenizer.h) of a
// CTranslate2 directory. The converter writes the vocabularies (side_vocabularies.h). Users copy
// the tokenizer's files next to them.
//
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/model/tokenizers/model_tokens.h"
#include "engine/model/tokenizers/tokenizer_config.h"
#include "engine/model/tokenizers/tokenizer_description.h"

namespace dragoman::engine {

// The facts about a model's tokens in config.json and model.bin.
struct Ct2Tokens {
  std::string unk_piece = "<unk>";
  std::string bos_piece = "<s>";
  std::string eos_piece = "</s>";
  // The start token of the search. Empty: CTranslate2 expects the caller to give the first token.
  std::optional<std::string> decoder_start_piece;
  bool adds_source_begin = false;  // whether CTranslate2 puts bos_piece before a source
  // Whether CTranslate2 puts EOS after a source. If false, the caller of CTranslate2 may put it
  // there.
  bool adds_source_end = false;
};

// The properties of the network that the tokenizer must match.
struct Ct2NetworkTokens {
  std::string_view file;  // the file of the network, for messages
  EmbeddingSizes sizes;
  bool is_t5 = false;
  bool starts_empty = false;  // whether an output begins with the empty token, the target's last id
};

// Reads the tokenizer's files in the folder `tokenizer` and the vocabularies in `folder`. Sets
// `ids`, and appends lines for the log to `notes`. Errors are those of ModelLayout::load, but not
// all messages begin with the path.
absl::StatusOr<ModelTokenizer> ReadCt2Vocabularies(const ModelFolder& folder,
                                                   const ModelFolder& tokenizer,
                                                   const TokenizerConfig& fields,
                                                   TokenizerChoice choice, const Ct2Tokens& tokens,
                                                   const Ct2NetworkTokens& network, SpecialIds* ids,
                                                   std::vector<std::string>* notes);

}  // namespace dragoman::engine
