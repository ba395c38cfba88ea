// Turns the target tokens of one segment into text. Tokens that stand for a do_not_translate
// phrase, as its constraint or its sentinel, become the phrase byte for byte (SEARCH.md a.8,
// "do_not_translate").
//
// Thread-safety: immutable after construction. Owns its phrases, borrows the tokenizer.
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

// The tokens of a translation that are a required phrase of the segment.
struct PhrasePlace {
  int32_t phrase = 0;  // index in the ConstraintSet
  int32_t begin = 0;   // the phrase is tokens [begin, end) of the translation
  int32_t end = 0;

  bool operator==(const PhrasePlace&) const = default;
};

struct PhraseTrace {
  std::vector<PhrasePlace> places;  // in order, without overlap, each phrase at most once
  // Later tokens do not change which of the first `settled` tokens are part of a phrase. Tokens
  // after these may still become part of one.
  int32_t settled = 0;
};

// Finds the place of each phrase that the search counted as met. For this it runs the search's
// constraint state (kernels/search/constraints.h) over the tokens again. Pure.
//
// `tokens` is a complete hypothesis, with EOS if EOS was produced. If `is_prefix`, `tokens` is only
// the beginning of a hypothesis. The returned places are then the first places of the complete
// hypothesis.
PhraseTrace TracePhrases(const kernels::ConstraintSet& set, std::span<const int32_t> tokens,
                         bool is_prefix);

// An occurrence of a do_not_translate phrase in a segment: the tokens that are required in the
// translation, and the text that is written for them.
struct DoNotTranslatePhrase {
  EncodedPhrase tokens;
  std::string text;
  TextRange source;  // in the segment's text
};

struct WrittenText {
  DecodedText decoded;
  // The texts that are copied verbatim: the first token of each, and the part of the segment that
  // it copies.
  std::vector<std::pair<size_t, TextRange>> verbatim;
  // The tokens that form sentinels. In the response, the tokens of one sentinel are a single token,
  // the text that the sentinel stands for.
  std::vector<SentinelTokens> sentinels;
  size_t lost_phrases = 0;  // these three: as in RestoredText
  size_t lost_placeholders = 0;
  size_t lost_unknown = 0;
};

class TargetText {
 public:
  explicit TargetText(const Tokenizer* tokenizer = nullptr) : tokenizer_(tokenizer) {}

  // Serves a segment with constraints. `constraints` are all its required phrases, including those
  // of `do_not_translate`. `do_not_translate` is in the order of the source. If several of its
  // phrases have the same tokens (two emoji that the vocabulary lacks, say), their texts are
  // written in this order.
  TargetText(const Tokenizer* tokenizer, ConstraintTable constraints,
             std::vector<DoNotTranslatePhrase> do_not_translate);

  // Serves a segment whose source has these sentinels.
  TargetText(const Tokenizer* tokenizer, std::vector<Sentinel> sentinels);

  // Puts all text but do_not_translate phrases and sentinels' parts in capitals.
  void set_in_capitals() { in_capitals_ = true; }

  // Reports whether WritePrefix may be called.
  bool writes_prefixes() const {
    return sentinels_.empty() && (!in_capitals_ || do_not_translate_.empty());
  }

  // Returns the text of a complete hypothesis. `tokens` are without EOS. `with_eos`: the hypothesis
  // ended with EOS and not at the output limit. Writes a do_not_translate phrase byte for byte only
  // where the search counted the phrase as met.
  WrittenText Write(std::span<const int32_t> tokens, bool with_eos) const;

  // Returns the text of the settled tokens of a search that has not ended. This text is a prefix,
  // in bytes, of every later result and of the final text. Leaves out tokens at the end that may
  // still become part of a do_not_translate phrase. REQUIRES: writes_prefixes().
  std::string WritePrefix(std::span<const int32_t> tokens) const;

 private:
  struct Places {
    std::vector<VerbatimTokens> tokens;
    std::vector<TextRange> sources;  // one for each of `tokens`
    size_t settled = 0;              // as in PhraseTrace
  };
  Places FindPlaces(std::span<const int32_t> tokens, bool is_prefix) const;
  WrittenText WriteAsDecoded(std::span<const int32_t> tokens, bool with_eos) const;

  const Tokenizer* tokenizer_;
  ConstraintTable constraints_;
  std::vector<DoNotTranslatePhrase> do_not_translate_;
  std::vector<Sentinel> sentinels_;
  bool in_capitals_ = false;
};

}  // namespace dragoman::engine
