// Reads the tokenizer files of a CTranslate2 model. Users copy them next to the model, because
// CTranslate2's converter does not write them. These are SentencePiece models, tokenizer.json, or
// BART's vocab.json and merges.txt. If the pieces are whole words or characters, no files are
// needed: texts are tokens separated by spaces (engine/text/spaced_tokens.h).
//
// Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/model/tokenizers/tokenizer_files.h"

namespace dragoman::engine {

// The properties of a model that its tokenizer must match: the vocabularies, the names of their
// files, and two properties of the network.
struct Ct2Sides {
  const Vocabulary& source;
  const Vocabulary& target;
  std::string_view source_file;
  std::string_view target_file;
  bool is_t5 = false;
  bool starts_empty = false;  // whether an output begins with the empty token (NetworkTraits)
};

struct Ct2Tokenizer {
  enum Kind {
    kPlain,
    kFairseq,  // M2M-100, NLLB-200 or mBART: languages have tokens
    kBart,     // a source begins with bos_token
    kSpaced,   // no tokenizer: spaces separate the tokens
  };
  Kind kind = kPlain;
  // The pieces of special tokens, which a text is never tokenized into. They come from
  // tokenizer.json and tokenizer_config.json.
  std::vector<std::string> special;
  std::vector<TokenizerJson::Added> added;  // the added tokens of tokenizer.json
  std::vector<std::string> notes;           // lines for the log
};

// Reads the tokenizer files of `folder` into `facts`. Reads the first of these that exists:
// * source.spm and target.spm;
// * one SentencePiece model for source and target;
// * BART's merges.txt and vocab.json;
// * tokenizer.json.
// `choice` may require tokenizer.json or exclude it. If none of these files exists, the tokenizer
// is kSpaced, but returns NOT_FOUND if a piece of the vocabularies has the mark of a tokenizer that
// cuts words. Other errors are those of ModelLayout::load, but not all messages begin with the
// path.
absl::StatusOr<Ct2Tokenizer> ReadCt2Tokenizer(const ModelFolder& folder,
                                              const TokenizerConfig& fields, TokenizerChoice choice,
                                              const Ct2Sides& sides, TokenizerDescription* facts);

}  // namespace dragoman::engine
