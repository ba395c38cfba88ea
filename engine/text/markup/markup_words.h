// Finds the words of a run's translation, and the place in the run's text that each comes from.
// MarkupDocument::Rebuild in markup.h defines a word and its place.
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/text/markup/markup.h"
#include "engine/text/markup/markup_plan.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

struct MarkupWord {
  TextRange range;     // in the segment's target, or in the run's text
  int64_t place = -1;  // in the run's text; -1: not aligned
};

// Reports whether 1 to 64 punctuation characters begin at `at`, followed by white space or by the
// end of the text.
bool IsEndPunctuation(std::string_view text, int64_t at);

// Returns the words of a segment's translation in order. The text between two words is white space.
std::vector<MarkupWord> TranslatedWords(const MarkupRun& run, const MarkupSegment& segment);

// Returns the words of an untranslated range of the run's text. A word also ends where the source
// has a tag. The place of each word is its position in the run's text.
std::vector<MarkupWord> UntranslatedWords(const MarkupRun& run, TextRange range);

}  // namespace dragoman::engine
