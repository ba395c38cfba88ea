// Translations by script, for the tests of HTML: which words a run becomes, and which source words
// they are aligned with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/html/html.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// The tokens of a text as a tokenizer cuts it: words and single punctuation marks, each with the
// white space before it.
std::vector<TextRange> SourceTokens(std::string_view text);

// A run's translation as one segment, by a script:
//   "="            every token is itself
//   "~"            the tokens in reverse order, in capitals (ASCII), punctuation too
//   "A@1 B@0 _C@- "  words, each with the number of the source token it is aligned with, or '-' for
//                  none; '_' before a word: no space before it. "" is an empty translation.
HtmlSegment ScriptedSegment(const std::string& text, std::string_view script);

// The document rebuilt with a script per run; the last script holds for all further runs.
std::string RebuiltByScript(const HtmlDocument& document, const std::vector<std::string>& scripts);

}  // namespace dragoman::engine
