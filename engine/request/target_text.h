// How the target tokens of one segment become text: by the tokenizer, and with the bytes of
// do_not_translate phrases in the place of their constraints or sentinels (SEARCH.md a.8,
// "do_not_translate").
//
// Thread-safety: const after construction. Owns its phrases, borrows the tokenizer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/decode/phrase_tables.h"
#include "engine/request/sentinels.h"
#include "engine/text/tokenizer.h"
#include "kernels/search/constraints.h"

namespace dragoman::engine {

// The place of a required phrase of a segment in its translation.
struct PhrasePlace {
  int32_t phrase = 0;  // of the set
  int32_t begin = 0;   // its tokens
  int32_t end = 0;

  bool operator==(const PhrasePlace&) const = default;
};

struct PhraseTrace {
  std::vector<PhrasePlace> places;  // in order, without overlap, each phrase at most once
  // Tokens before this one belong to `places` or to no phrase, whatever follows; tokens from here
  // on may still turn out to be part of a phrase.
  int32_t settled = 0;
};

// Runs the search's own constraint state (kernels/search/constraints.h) over the tokens once more, so that
// what it counted as met is found, each phrase at its place. Pure.
//
// `tokens` are a whole hypothesis (EOS included where it was produced), or with `is_prefix` the
// beginning of one: the trace of a prefix is the beginning of that of the whole.
PhraseTrace TracePhrases(const kernels::ConstraintSet& set, std::span<const int32_t> tokens,
                         bool is_prefix);

// An occurrence of a do_not_translate phrase: its text, and the constraint that stands for it.
struct DoNotTranslatePhrase {
  EncodedPhrase tokens;
  std::string text;
  TextRange source;  // in the segment's text
};

struct WrittenText {
  DecodedText decoded;
  // First tokens of verbatim texts, and what of the source they are.
  std::vector<std::pair<size_t, TextRange>> verbatim;
  std::vector<SentinelTokens> sentinels;  // tokens that a client sees as one, their text
  size_t lost_phrases = 0;                // as RestoredText has them
  size_t lost_unknown = 0;
};

class TargetText {
 public:
  explicit TargetText(const Tokenizer* tokenizer = nullptr) : tokenizer_(tokenizer) {}

  // `constraints` are all required phrases of the segment, those of `do_not_translate` among them,
  // which are in the order of the source. Phrases of the same tokens (two emoji that the vocabulary
  // lacks, say) are written in that order.
  TargetText(const Tokenizer* tokenizer, ConstraintTable constraints,
             std::vector<DoNotTranslatePhrase> do_not_translate);

  // The text of a segment whose source has these sentinels.
  TargetText(const Tokenizer* tokenizer, std::vector<Sentinel> sentinels);

  // Writes a whole hypothesis, which ended with EOS or at the limit. Verbatim texts stand where the
  // search counted their phrases as met; those that it did not meet are not written.
  WrittenText Write(std::span<const int32_t> tokens, bool with_eos) const;

  // Writes the settled tokens of a search that goes on: a byte prefix of every later text and of
  // the whole. Text that may still become part of a phrase is held back when there are verbatim
  // texts. REQUIRES: there are no sentinels.
  std::string WritePrefix(std::span<const int32_t> tokens) const;

 private:
  struct Places {
    std::vector<VerbatimTokens> tokens;
    std::vector<TextRange> sources;  // of each
    size_t settled = 0;              // as PhraseTrace has it
  };
  Places FindPlaces(std::span<const int32_t> tokens, bool is_prefix) const;

  const Tokenizer* tokenizer_;
  ConstraintTable constraints_;
  std::vector<DoNotTranslatePhrase> do_not_translate_;
  std::vector<Sentinel> sentinels_;
};

}  // namespace dragoman::engine
