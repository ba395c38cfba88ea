// The description of a model's tokenizer, vocabularies and languages, from its files. The engine
// makes a Tokenizer from it (engine/text/tokenizer.h).
//
// Plain values, immutable once loaded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/tokenizers/languages.h"
#include "engine/model/tokenizers/vocabulary.h"
#include "engine/text/pipeline/added_tokens.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {

// Everything that a Tokenizer is made from. The source side has its own ids. With separate
// vocabularies they differ from SpecialIds, which are the target's.
struct TokenizerDescription {
  std::string source_spm;  // the bytes of the SentencePiece files
  std::string target_spm;
  // The model of both sides if it is not SentencePiece's. Shared with the tokenizers.
  std::shared_ptr<const SubwordModel> model;
  std::shared_ptr<const SubwordModel> target_model;  // the target's, if it differs
  // The tokens cut out of texts first, on both sides, and the tokenizer whose rules are followed.
  std::vector<AddedToken> added;
  TokenizerRules rules = TokenizerRules::kSlow;
  std::string source_path;  // the paths of the files, for messages
  std::string target_path;
  int source_eos = 0;  // -1: the source's vocabulary has no EOS; ends_source is false
  int source_unk = 0;
  std::optional<int> source_bos;  // the first token of every source
  bool ends_source = true;        // EOS is the last token of a source
  std::vector<int> special;       // ids that are not text, except EOS, unk and pad; ascending
  // The same for the source's own vocabulary, with <pad>. Unused if both sides share one.
  std::vector<int> source_special;
  // The longest source, with EOS: the tokenizer's model_max_length, at most the model's positions.
  int max_source_tokens = 0;
};

// The vocabularies, tokenizer and languages of a model, from files of any layout.
struct ModelTokenizer {
  Vocabulary source_vocabulary;
  std::optional<Vocabulary> own_target_vocabulary;  // empty: the source's is shared
  TokenizerDescription tokenizer;
  LanguageMap languages;

  const Vocabulary& TargetVocabulary() const {
    return own_target_vocabulary ? *own_target_vocabulary : source_vocabulary;
  }
};

}  // namespace dragoman::engine
