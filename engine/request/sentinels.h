// Sentinels: words that stand for parts of a source text while the model translates the rest. Each
// part comes back byte for byte in the place of its sentinel (SEARCH.md a.8, "do_not_translate").
//
// A part is a do_not_translate phrase, or text that the model's vocabulary lacks. The words are a
// stem that the model is known to copy (sentinel_trial.h), and a number: "Xk1", "Xk2".
//
// Pure functions. Units: bytes.
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
  bool is_phrase = true;  // of do_not_translate; else the vocabulary lacks it
};

struct Sentinel {
  std::string word;
  std::string text;  // what it stands for
  TextRange source;  // where that is in the segment's text
  bool is_phrase = true;
  // Spaces that separate the word from letters next to it. They leave with the word.
  bool space_before = false;
  bool space_after = false;
};

// A range of a text, and the range that it became or came from.
struct MovedRange {
  TextRange from;
  TextRange to;
};

// Where `range` lies after the ranges `moved`, which are in order and without overlap, were
// replaced. What begins inside a replaced range begins at its end; what ends inside it ends there.
TextRange MoveRange(std::span<const MovedRange> moved, TextRange range);

// A segment's text with sentinels.
struct SentinelText {
  std::string text;
  std::vector<Sentinel> sentinels;  // in order
  std::vector<MovedRange> moved;    // of each: in `text`, and in the segment's text
};

// Puts a sentinel in the place of each part. No word occurs in the segment itself. REQUIRES: parts
// are in order, without overlap.
SentinelText PutSentinels(std::string_view segment, std::span<const KeptPart> parts,
                          std::string_view stem);

// Tokens [begin, end) that stand for a sentinel.
struct SentinelTokens {
  size_t begin = 0;
  size_t end = 0;
  size_t sentinel = 0;
};

// Returns the tokens of `encoded`, the encoding of `text.text`, that stand for sentinels. Changes the ranges
// of all its tokens to ranges of the segment's text.
std::vector<SentinelTokens> MoveToSource(const SentinelText& text, EncodedText* encoded);

struct RestoredText {
  DecodedText decoded;
  std::vector<SentinelTokens> tokens;  // in order
  // Sentinels that the translation does not contain exactly once: those of phrases, and the others.
  size_t lost_phrases = 0;
  size_t lost_unknown = 0;
};

// The translation with the kept texts in the place of their sentinels; each occurrence counts. The
// first token of a sentinel has the range of the kept text, the others are empty.
RestoredText RestoreSentinels(DecodedText decoded, std::span<const Sentinel> sentinels);

// The part that each run of unknown tokens asks to keep, in order and without overlap: a word for a
// letter, what stands between spaces for an ASCII symbol ("support@example.com"), a grapheme for
// every other symbol; neighbours are one part. Unknown punctuation outside of ASCII is left alone.
// `unknown` are ranges of the text, in order.
std::vector<KeptPart> PartsToKeep(std::string_view text, std::span<const TextRange> unknown);

}  // namespace dragoman::engine
