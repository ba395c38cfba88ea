// Describes a model's tokenizer, vocabularies and languages. The engine makes a Tokenizer
// (engine/text/tokenizer.h) from this description.
//
// Plain values, immutable once loaded.
#pragma once

#include <optional>
#include <vector>

#include "engine/model/tokenizers/languages.h"
#include "engine/model/tokenizers/vocabulary.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// The data from which a Tokenizer is made. Ids in members that begin with `source_` are ids of the
// source's vocabulary. If source and target have separate vocabularies, these ids may differ from
// SpecialIds, which are ids of the target's vocabulary.
struct TokenizerDescription : TokenizerFiles {
  int source_eos = 0;  // -1 if the source's vocabulary has no EOS; then ends_source is false
  int source_unk = 0;
  std::optional<int> source_bos;  // the first token of every source, if there is one
  bool ends_source = true;        // whether a source ends with EOS
  // Ids of other tokens that are not text, without EOS, <unk> and <pad>; ascending.
  std::vector<int> special;
  // Like `special`, but includes <pad>, and has ids of the source's vocabulary. Unused if source
  // and target share a vocabulary.
  std::vector<int> source_special;
  // The maximum number of tokens of a source, including EOS: the smaller one of the tokenizer's
  // model_max_length and the number of position embeddings.
  int max_source_tokens = 0;
};

// The vocabularies, tokenizer and languages of a model. Every layout makes one.
struct ModelTokenizer {
  Vocabulary source_vocabulary;
  std::optional<Vocabulary> own_target_vocabulary;  // empty if both sides share one
  TokenizerDescription tokenizer;
  LanguageMap languages;

  const Vocabulary& TargetVocabulary() const {
    return own_target_vocabulary ? *own_target_vocabulary : source_vocabulary;
  }
};

}  // namespace dragoman::engine
