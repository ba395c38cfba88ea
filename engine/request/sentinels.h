// Sentinels: words that stand for parts of a source text while the model translates the rest. In
// the translation, the part replaces its sentinel byte for byte (SEARCH.md a.8,
// "do_not_translate").
//
// Such a part is a do_not_translate phrase, a placeholder (engine/text/placeholders.h), or text that
// the model's vocabulary lacks. The word of a sentinel is a stem that the model is known to copy
// (sentinel_trial.h), followed by a number: "Xk1", "Xk2".
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

// Why a part of a text is copied. If parts overlap, the first kind of them counts.
enum class KeptKind { kPhrase, kPlaceholder, kUnknown };

// A part of a source text that is copied and not translated.
struct KeptPart {
  TextRange range;
  KeptKind kind = KeptKind::kPhrase;
};

struct Sentinel {
  std::string word;
  std::string text;  // the part that it stands for
  TextRange source;  // the place of the part in the segment's text
  KeptKind kind = KeptKind::kPhrase;
  // Whether a space was added to separate the word from an adjacent letter. When the part replaces
  // the word, such a space is removed.
  bool space_before = false;
  bool space_after = false;
};

// A range of one text and the range in another text that corresponds to it.
struct MovedRange {
  TextRange from;
  TextRange to;
};

// Returns the place of `range` after each range moved[i].from was replaced by text that is now at
// moved[i].to. A begin or an end of `range` strictly inside a replaced range moves to the end of
// the replacement. REQUIRES: `moved` is in order, without overlap.
TextRange MoveRange(std::span<const MovedRange> moved, TextRange range);

struct SentinelText {
  std::string text;
  std::vector<Sentinel> sentinels;  // in order
  // One entry for each sentinel: `from` is its range in `text`, `to` is the range of its part in
  // the segment.
  std::vector<MovedRange> moved;
};

// Replaces each of `parts` in the text of a segment by a sentinel whose word does not occur in the
// segment. REQUIRES: `parts` are in order, without overlap.
SentinelText PutSentinels(std::string_view segment, std::span<const KeptPart> parts,
                          std::string_view stem);

// The tokens [begin, end) of a text form a sentinel.
struct SentinelTokens {
  size_t begin = 0;
  size_t end = 0;
  size_t sentinel = 0;
};

// Finds the tokens that form sentinels in `encoded`, the encoding of text.text, and returns them.
// Also changes encoded->ranges from ranges of text.text to ranges of the segment's text.
std::vector<SentinelTokens> MoveToSource(const SentinelText& text, EncodedText* encoded);

struct RestoredText {
  DecodedText decoded;
  std::vector<SentinelTokens> tokens;  // in order
  // How many sentinels of each kind the translation does not contain exactly once.
  size_t lost_phrases = 0;
  size_t lost_placeholders = 0;
  size_t lost_unknown = 0;
};

// Replaces every occurrence of a sentinel in the translation `decoded` by the text that the
// sentinel stands for. Of the tokens that form the sentinel, the first gets the range of this text,
// and the others get empty ranges.
RestoredText RestoreSentinels(DecodedText decoded, std::span<const Sentinel> sentinels);

// Returns the parts of `text` that are copied because the vocabulary lacks them. `unknown` are the
// ranges of the unknown tokens in `text`, in order. The content of a range decides the part:
// * ASCII: the text around the range up to white space ("support@example.com");
// * otherwise letters: the word around the range;
// * other symbols: the grapheme;
// * punctuation outside ASCII: nothing.
// The parts are in order and do not overlap. Adjacent parts are joined.
std::vector<KeptPart> PartsToKeep(std::string_view text, std::span<const TextRange> unknown);

}  // namespace dragoman::engine
