// What a model's files say of its tokenizer; whoever translates makes a Tokenizer of it
// (engine/text/tokenizer.h).
//
// Plain values, immutable once loaded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/text/added_tokens.h"
#include "engine/text/subword_model.h"

namespace dragoman {

// What a tokenizer is made of. Ids of the source side are its own: with separate vocabularies they
// differ from those of ModelSpec::tokens, which are the target's.
struct TokenizerDescription {
  std::string source_spm;  // the bytes of the files
  std::string target_spm;
  // Where they are no models of SentencePiece: what they describe, of both sides. Shared with those
  // who tokenize.
  std::shared_ptr<const SubwordModel> model;
  std::shared_ptr<const SubwordModel> target_model;  // of the target, where it is another one
  // What is cut out of texts before, on both sides, and whose rules are followed.
  std::vector<AddedToken> added;
  TokenizerRules rules = TokenizerRules::kSlow;
  std::string source_path;  // where they were, for messages
  std::string target_path;
  int source_eos = 0;  // -1: the source's vocabulary has none, and ends_source is false
  int source_unk = 0;
  std::optional<int> source_bos;  // that every source begins with
  bool ends_source = true;        // EOS is the last token of a source
  std::vector<int> special;       // ids that are no text besides EOS, unk and pad, ascending
  // The same of the source's own vocabulary, with <pad>; not used where both sides have one.
  std::vector<int> source_special;
  int max_source_tokens =
      0;  // with EOS if there is one: the tokenizer's model_max_length, at most the positions
};

}  // namespace dragoman
