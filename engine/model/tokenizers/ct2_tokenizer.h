// Reads the tokenizer files next to a CTranslate2 model, whose converter writes none: SentencePiece
// models, tokenizer.json, or BART's vocab.json and merges.txt. A model of words or characters needs
// none: its texts are tokens separated by spaces (engine/text/spaced_tokens.h).
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

// The model that a tokenizer must fit: vocabularies with its pieces, and network properties.
struct Ct2Sides {
  const Vocabulary& source;
  const Vocabulary& target;
  std::string_view source_file;
  std::string_view target_file;
  bool is_t5 = false;
  bool starts_empty = false;  // an output begins with the empty token, as Marian's do
};

struct Ct2Tokenizer {
  enum Kind {
    kPlain,
    kFairseq,  // of M2M-100, NLLB-200 or mBART: languages have tokens
    kBart,     // a source begins with bos_token
    kSpaced,   // no tokenizer: spaces separate the tokens
  };
  Kind kind = kPlain;
  // Tokens never read from a text: tokenizer.json's, and those that tokenizer_config.json adds.
  std::vector<std::string> special;
  std::vector<TokenizerJson::Added> added;  // tokenizer.json's
  std::vector<std::string> notes;           // for the log
};

// Reads into `facts` the first of these that `folder` has: source.spm and target.spm; one
// SentencePiece model for both sides; BART's merges.txt and vocab.json; tokenizer.json. `choice`
// may require tokenizer.json or exclude it. Without these files, spaces separate the tokens; then
// returns NOT_FOUND if a piece of the vocabularies has the mark of a tokenizer that cuts words.
// Other errors are those of ModelSource::Load; not all messages begin with the path.
absl::StatusOr<Ct2Tokenizer> ReadCt2Tokenizer(const ModelFolder& folder,
                                              const TokenizerConfig& fields, TokenizerChoice choice,
                                              const Ct2Sides& sides, TokenizerDescription* facts);

}  // namespace dragoman::engine
