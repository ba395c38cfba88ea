// Reads the vocabularies, special tokens, languages and tokenizer (ct2_tokenizer.h) of a
// CTranslate2 directory. The converter writes the vocabularies (side_vocabularies.h). The user who
// converts a model adds the tokenizer's files.
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

// The tokens of a model, as its files describe them.
struct Ct2Tokens {
  std::string unk_piece = "<unk>";
  std::string bos_piece = "<s>";
  std::string eos_piece = "</s>";
  // Empty: the caller's prefix begins an output.
  std::optional<std::string> decoder_start_piece;
  bool adds_source_begin = false;  // CTranslate2 begins a source with bos_piece
  bool adds_source_end = false;    // CTranslate2 ends a source with EOS; if not, its caller may
};

// The part of the network that the tokenizer must fit.
struct Ct2NetworkTokens {
  std::string_view file;  // the file of the network, for messages
  EmbeddingSizes sizes;
  bool is_t5 = false;
  bool starts_empty = false;  // an output begins with the empty token, the target's last
};

// Reads the tokenizer's files of `tokenizer` and the vocabularies of `folder`. Sets `ids`, and adds
// lines for the log to `notes`. Errors are those of ModelSource::Load, some without the path.
absl::StatusOr<ModelTokenizer> ReadCt2Vocabularies(const ModelFolder& folder,
                                                   const ModelFolder& tokenizer,
                                                   const TokenizerConfig& fields,
                                                   TokenizerChoice choice, const Ct2Tokens& tokens,
                                                   const Ct2NetworkTokens& network, SpecialIds* ids,
                                                   std::vector<std::string>* notes);

}  // namespace dragoman::engine
