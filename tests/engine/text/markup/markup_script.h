// Scripted translations for the tests of HTML: the words of each run and their alignment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/markup/markup.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// Splits a text into words and punctuation marks, each with its preceding white space.
std::vector<TextRange> SourceTokens(std::string_view text);

// Returns a run's translation as one segment, by a script:
//   "="            every token is unchanged
//   "~"            the tokens in reverse order, in capitals (ASCII), punctuation too
//   "A@1 B@0 _C@- "  words, each with the number of its aligned source token, or '-' for none;
//                  '_' before a word: no space before it. "" is an empty translation.
MarkupSegment ScriptedSegment(const std::string& text, std::string_view script);

// Returns the document rebuilt with one script per run. The last script applies to all others.
std::string RebuiltByScript(const MarkupDocument& document,
                            const std::vector<std::string>& scripts);

// A document, the texts of its runs, a script for each run, and the document rebuilt by them.
struct MarkupCase {
  const char* what;
  std::string document;
  std::vector<std::string> texts;
  std::vector<std::string> scripts;
  std::string rebuilt;
};

void CheckMarkupCases(const std::vector<MarkupCase>& cases, TextFormat format);

}  // namespace dragoman::engine
