// Writes the rebuilt document: its bytes, and the start and end tags of the inline elements around
// them. Knows which inline elements are open.
//
// Thread-safety: one thread per object. Units: bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/html/html_plan.h"

namespace dragoman::engine {

class HtmlEmitter {
 public:
  // Borrows the plan.
  explicit HtmlEmitter(const HtmlPlan& plan);

  // Says which elements MoveTo opens again if they were open before and have been closed. "The
  // limit" is MaxRepeatedTagBytes. An element that was never open is always opened.
  // kAllButCrossing: all, except those that cross blocks (HtmlTags::is_crossing) beyond the limit.
  // kCheap: all until the limit is reached. kUnopened: none.
  enum class Need { kAllButCrossing, kCheap, kUnopened };

  // Closes the elements that are not in `stack`, writes `space`, then opens the other elements of
  // `stack`. So `space` is only inside the elements that are open both before and after it.
  void MoveTo(std::span<const int32_t> stack, std::string_view space, Need need);
  // Closes the elements that are not in `stack`. Opens nothing.
  void CloseTo(std::span<const int32_t> stack);

  // Write appends bytes of the document unchanged. WriteText appends text with & < > escaped.
  void Write(std::string_view bytes) { html_ += bytes; }
  void WriteText(std::string_view text);
  // Append the start or end tag of an element that has no word in the translation. Do not change
  // open().
  void WriteStartTag(int32_t element);
  void WriteEndTag(int32_t element);

  const HtmlStack& open() const { return open_; }
  int64_t size() const { return static_cast<int64_t>(html_.size()); }
  std::string Finish();

 private:
  void CloseFrom(size_t depth);

  const HtmlPlan& plan_;
  std::string html_;
  HtmlStack open_;
  std::vector<bool> was_open_;  // by element: whether its start tag has been written
  int64_t repeated_bytes_ = 0;
};

// Returns the number of elements, counted from the outermost, that two stacks have in common.
size_t CommonDepth(std::span<const int32_t> a, std::span<const int32_t> b);

}  // namespace dragoman::engine
