// Sentinels: words that stand for parts of a source text while the model translates the rest. Each
// part is written byte for byte in place of its sentinel (SEARCH.md a.8, "do_not_translate").
//
// A part is a do_not_translate phrase, or text that the model's vocabulary lacks. A word is a stem
// that the model is known to copy (sentinel_trial.h) and a number: "Xk1", "Xk2".
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/text_range.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// A part of a text that is not translated.
struct KeptPart {
  TextRange range;
  bool is_phrase = true;  // a do_not_translate phrase; else text that the vocabulary lacks
};

struct Sentinel {
  std::string word;
  std::string text;  // the part that it stands for
  TextRange source;  // the place of the part in the segment's text
  bool is_phrase = true;
  // Spaces that separate the word from adjacent letters. They are removed with the word.
  bool space_before = false;
  bool space_after = false;
};

// A range of a text, and the range that it became or came from.
struct MovedRange {
  TextRange from;
  TextRange to;
};

// Returns the place of `range` after the ranges `moved`, in order and without overlap, were
// replaced. A beginning strictly inside a replaced range moves to the end of the replacement, and
// so does an end inside it.
TextRange MoveRange(std::span<const MovedRange> moved, TextRange range);

struct SentinelText {
  std::string text;
  std::vector<Sentinel> sentinels;  // in order
  std::vector<MovedRange> moved;    // of each sentinel: from `text` to the segment's text
};

// Replaces each part by a sentinel with a word that the segment lacks. REQUIRES: parts are in
// order, without overlap.
SentinelText PutSentinels(std::string_view segment, std::span<const KeptPart> parts,
                          std::string_view stem);

// Tokens [begin, end) that stand for a sentinel.
struct SentinelTokens {
  size_t begin = 0;
  size_t end = 0;
  size_t sentinel = 0;
};

// Returns the tokens of `encoded`, the encoding of `text.text`, that stand for sentinels. Changes
// the ranges of all its tokens to ranges of the segment's text.
std::vector<SentinelTokens> MoveToSource(const SentinelText& text, EncodedText* encoded);

struct RestoredText {
  DecodedText decoded;
  std::vector<SentinelTokens> tokens;  // in order
  // The number of sentinels that the translation does not contain exactly once.
  size_t lost_phrases = 0;
  size_t lost_unknown = 0;
};

// Replaces every occurrence of a sentinel in the translation by the text that it stands for. The
// first token of a sentinel has the range of this text, its other tokens are empty.
RestoredText RestoreSentinels(DecodedText decoded, std::span<const Sentinel> sentinels);

// Returns the parts to keep for runs of unknown tokens: for ASCII, the text between white space
// ("support@example.com"); for other letters, the word; for other symbols, the grapheme. Adjacent
// parts become one. Unknown punctuation outside ASCII is left alone. `unknown` are the ranges of
// the runs in `text`, in order. The parts are in order and do not overlap.
std::vector<KeptPart> PartsToKeep(std::string_view text, std::span<const TextRange> unknown);

}  // namespace dragoman::engine
