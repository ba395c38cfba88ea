// Builds the text of one run of an HTML document: references decoded, white space collapsed, with
// what is open at every byte and what stands between the words.
//
// Thread-safety: one thread per object. Units: bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/html/html_plan.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// Whether a text of the document is white space alone, references decoded.
bool IsHtmlWhiteSpace(std::string_view html, TextRange text);

class HtmlRunBuilder {
 public:
  // Borrows the document.
  explicit HtmlRunBuilder(std::string_view html) : html_(html) {}

  // The parts of the run in order. A stack is what is open there, for elements and what has no
  // text: around them.
  void AddText(TextRange text, int32_t stack);
  void BeginElement(int32_t element, int32_t stack);
  void EndElement(int32_t element);
  void AddVoid(TextRange range, int32_t stack);

  // The run, without the white space at its ends, which is in `before` and `after` (ranges of the
  // document); not what comes with a unit, as space_before or space_after. REQUIRES: some text was
  // not white space.
  HtmlRun Finish(std::vector<TextRange>& before, std::vector<TextRange>& after);

 private:
  void AddSpace(std::string_view character, TextRange range);
  void AddUnit(HtmlUnit unit);
  // Whether text stands between the beginning of the unit and here.
  bool HasText(const HtmlUnit& unit) const { return text_end_ > unit.position; }

  std::string_view html_;
  HtmlRun run_;
  std::vector<TextRange> before_;
  std::vector<TextRange> after_;
  int64_t text_end_ = 0;              // of run_.text without white space at its end
  bool space_has_unit_ = false;       // that white space stands after a unit, and comes with it
  bool after_space_ = false;          // the last thing was white space; tags do not count
  std::vector<size_t> recent_units_;  // with nothing but tags since
  std::vector<std::pair<int32_t, size_t>> open_;  // elements and their units
};

}  // namespace dragoman::engine
