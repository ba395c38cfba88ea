// Input: a byte of flags, a glossary file, a zero byte and a text. An accepted file has valid
// terms, and the occurrences found in the text are in order and do not overlap.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/api/glossary_terms.h"
#include "engine/base/utf8.h"
#include "engine/text/terms/glossary.h"
#include "engine/text/terms/term_matcher.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using dragoman::FuzzCheck;
  if (size == 0) return 0;
  const bool is_csv = (data[0] & 1) != 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t zero = bytes.find('\0');
  const auto glossary = dragoman::engine::Glossary::Parse(
      bytes.substr(0, zero), "fuzz",
      is_csv ? dragoman::engine::GlossaryFormat::kCsv : dragoman::engine::GlossaryFormat::kTsv);
  if (!glossary.ok()) return 0;
  dragoman::FuzzCheck((*glossary)->size() > 0);
  for (size_t i = 0; i < (*glossary)->size(); ++i) {
    const dragoman::engine::Term& term = (*glossary)->term(i);
    dragoman::FuzzCheck(!dragoman::engine::ProblemOfTerm(term.source) &&
                        !dragoman::engine::ProblemOfTerm(term.target));
  }
  std::string_view text = zero == std::string_view::npos ? bytes : bytes.substr(zero + 1);
  if (const auto bad = dragoman::engine::FirstInvalidUtf8(text)) {
    text = text.substr(0, static_cast<size_t>(*bad));
  }
  dragoman::engine::TermMatcher::Lists lists;
  lists.glossary = *glossary;
  lists.glossary_ignore_case = (data[0] & 2) != 0;
  const auto matcher = dragoman::engine::TermMatcher::Create(lists);
  dragoman::FuzzCheck(matcher.ok());
  int64_t at = 0;
  for (const dragoman::engine::TermOccurrence& found : matcher->Find(text)) {
    dragoman::FuzzCheck(found.range.begin >= at && found.range.end > found.range.begin);
    at = found.range.end;
    dragoman::FuzzCheck(at <= static_cast<int64_t>(text.size()));
    const dragoman::engine::Term& term = (*glossary)->term(found.index);
    dragoman::FuzzCheck(term.target == found.target);
    const std::string_view bytes_found = found.range.In(text);
    dragoman::FuzzCheck(lists.glossary_ignore_case ? dragoman::engine::FoldCase(bytes_found) ==
                                                         dragoman::engine::FoldCase(term.source)
                                                   : bytes_found == term.source);
  }
  return 0;
}
