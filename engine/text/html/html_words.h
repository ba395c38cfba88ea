// Finds the words of a run's translation, and the places in the run's text that they come from.
// html.h defines a word.
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/text/html/html.h"
#include "engine/text/html/html_plan.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

struct HtmlWord {
  TextRange range;     // in the segment's target, or in the run's text
  int64_t place = -1;  // in the run's text; -1: not aligned
};

// Reports whether punctuation begins at `at` and white space or the end of the text follows it.
bool IsEndPunctuation(std::string_view text, int64_t at);

// Returns the words of a translation in order. Only white space is between them.
std::vector<HtmlWord> TranslatedWords(const HtmlRun& run, const HtmlSegment& segment);

// Returns the words of text that is not translated, cut at tags. Each word is its own place.
std::vector<HtmlWord> UntranslatedWords(const HtmlRun& run, TextRange range);

}  // namespace dragoman::engine
