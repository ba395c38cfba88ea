// Builds one MarkupRun of a document: decodes character references, collapses white space, and
// records the open elements at every byte and the units (MarkupUnit).
//
// Thread-safety: one thread per object. Units: bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/markup/markup_plan.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// Reports whether a text of the document is only white space after its references are decoded.
bool IsMarkupWhiteSpace(std::string_view document, const MarkupNode& text);

class MarkupRunBuilder {
 public:
  // Borrows the document.
  explicit MarkupRunBuilder(std::string_view document) : document_(document) {}

  // The following four functions add the parts of the run in order. `stack` is the index in
  // MarkupPlan::stacks of the elements that are open around the part.
  void AddText(const MarkupNode& text, int32_t stack);
  void BeginElement(int32_t element, int32_t stack);
  void EndElement(int32_t element);
  void AddVoid(TextRange range, int32_t stack);

  // Returns the run without the white space at its ends. Sets `before` and `after` to the ranges of
  // the document with this white space, except white space that a unit records
  // (MarkupUnit::space_before, space_after). REQUIRES: some text was not white space.
  MarkupRun Finish(std::vector<TextRange>& before, std::vector<TextRange>& after);

 private:
  void AddSpace(std::string_view character, TextRange range);
  void AddUnit(MarkupUnit unit);
  // Reports whether the run has text since the beginning of the unit.
  bool HasText(const MarkupUnit& unit) const { return text_end_ > unit.position; }

  std::string_view document_;
  MarkupRun run_;
  std::vector<TextRange> before_;
  std::vector<TextRange> after_;
  int64_t text_end_ = 0;              // the size of run_.text without white space at its end
  bool space_has_unit_ = false;       // the last white space belongs to the unit before it
  bool after_space_ = false;          // the last part that is not a tag was white space
  std::vector<size_t> recent_units_;  // units that only tags have followed so far
  std::vector<std::pair<int32_t, size_t>> open_;  // open elements and the indices of their units
};

}  // namespace dragoman::engine
