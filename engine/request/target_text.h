// Turns the target tokens of one segment into text. Writes do_not_translate phrases byte for byte
// in place of their constraints or sentinels (SEARCH.md a.8, "do_not_translate").
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
  int32_t phrase = 0;  // index in the set
  int32_t begin = 0;   // its tokens are [begin, end)
  int32_t end = 0;

  bool operator==(const PhrasePlace&) const = default;
};

struct PhraseTrace {
  std::vector<PhrasePlace> places;  // in order, without overlap, each phrase at most once
  // Later tokens may still become part of a phrase. The use of earlier ones is final.
  int32_t settled = 0;
};

// Finds the place of each phrase that the search counted as met: runs the search's constraint state
// (kernels/search/constraints.h) over the tokens again. Pure.
//
// `tokens` are a complete hypothesis, with EOS if it was produced, or the beginning of one if
// `is_prefix`. The trace of a prefix is the beginning of the trace of the complete hypothesis.
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
  // The first token of each verbatim text, and the part of the source that it copies.
  std::vector<std::pair<size_t, TextRange>> verbatim;
  std::vector<SentinelTokens> sentinels;  // tokens that a client sees as one token, the kept text
  size_t lost_phrases = 0;                // as in RestoredText
  size_t lost_unknown = 0;
};

class TargetText {
 public:
  explicit TargetText(const Tokenizer* tokenizer = nullptr) : tokenizer_(tokenizer) {}

  // `constraints` are all required phrases of the segment. Those of `do_not_translate`, which are
  // in the order of the source, are among them. Phrases with the same tokens (two emoji that the
  // vocabulary lacks, say) are written in that order.
  TargetText(const Tokenizer* tokenizer, ConstraintTable constraints,
             std::vector<DoNotTranslatePhrase> do_not_translate);

  // Serves a segment whose source has these sentinels.
  TargetText(const Tokenizer* tokenizer, std::vector<Sentinel> sentinels);

  // Writes a complete hypothesis, which ended with EOS or at the limit. Writes a verbatim text only
  // if the search counted its phrase as met.
  WrittenText Write(std::span<const int32_t> tokens, bool with_eos) const;

  // Writes the settled tokens of a search that goes on. The result is a byte prefix of every later
  // text and of the final text. With verbatim texts, withholds text that may still become part of a
  // phrase. REQUIRES: there are no sentinels.
  std::string WritePrefix(std::span<const int32_t> tokens) const;

 private:
  struct Places {
    std::vector<VerbatimTokens> tokens;
    std::vector<TextRange> sources;  // of each of `tokens`
    size_t settled = 0;              // as in PhraseTrace
  };
  Places FindPlaces(std::span<const int32_t> tokens, bool is_prefix) const;

  const Tokenizer* tokenizer_;
  ConstraintTable constraints_;
  std::vector<DoNotTranslatePhrase> do_not_translate_;
  std::vector<Sentinel> sentinels_;
};

}  // namespace dragoman::engine
