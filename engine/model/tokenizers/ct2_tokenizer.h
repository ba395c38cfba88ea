// Reads the tokenizer beside a CTranslate2 model, whose converter writes none: models of SentencePiece,
// tokenizer.json, or BART's vocab.json and merges.txt. A model of whole words or of characters needs
// none: texts are tokens with spaces between them (engine/text/spaced_tokens.h).
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

// The model that a tokenizer must fit: the vocabularies that must have its pieces, the names of their
// files, and what the network says.
struct Ct2Sides {
  const Vocabulary& source;
  const Vocabulary& target;
  std::string_view source_file;
  std::string_view target_file;
  bool is_t5 = false;
  bool starts_empty = false;  // outputs begin with the empty token, as Marian's do
};

struct Ct2Tokenizer {
  enum Kind {
    kPlain,
    kFairseq,  // M2M-100's, NLLB-200's or mBART's: languages have tokens
    kBart,     // a source begins with bos_token
    kSpaced,   // no tokenizer: spaces separate the tokens
  };
  Kind kind = kPlain;
  // Tokens that are never read from a text: tokenizer.json's, and those that tokenizer_config.json has
  // added.
  std::vector<std::string> special;
  std::vector<TokenizerJson::Added> added;  // tokenizer.json's
  std::vector<std::string> notes;           // for the log
};

// The first of these that is in `folder` is read, into `facts`: source.spm and target.spm; one
// SentencePiece model for both sides; BART's merges.txt and vocab.json; tokenizer.json. `choice` may
// ask for tokenizer.json or for one of the others. Without any of them spaces separate the tokens, and
// NOT_FOUND is returned if a piece of the vocabularies has the mark of a tokenizer that cuts words.
// Other errors as ModelSource::Load; not all messages begin with the path.
absl::StatusOr<Ct2Tokenizer> ReadCt2Tokenizer(const ModelFolder& folder,
                                              const TokenizerConfig& fields, TokenizerChoice choice,
                                              const Ct2Sides& sides, TokenizerDescription* facts);

}  // namespace dragoman::engine
