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

  // Says whether MoveTo opens an element again that was open before and has been closed. MoveTo
  // always opens an element that has never been open. The limit for repeated tags is
  // MaxRepeatedTagBytes.
  //   kAllButCrossing: opens each element again; one that crosses blocks (HtmlTags::is_crossing),
  //     only until the limit is reached.
  //   kCheap: opens elements again until the limit is reached.
  //   kUnopened: opens no element again.
  enum class Need { kAllButCrossing, kCheap, kUnopened };

  // Closes the elements that are not in `stack`, writes `space`, then opens the other elements of
  // `stack`. So `space` is only inside the elements that are open both before and after it.
  void MoveTo(std::span<const int32_t> stack, std::string_view space, Need need);
  // Closes the elements that are not in `stack`. Opens nothing.
  void CloseTo(std::span<const int32_t> stack);

  // Write appends bytes of the document unchanged. WriteText appends text with & < > escaped.
  void Write(std::string_view bytes) { html_ += bytes; }
  void WriteText(std::string_view text);
  // Appends the start tag (WriteStartTag) or the end tag (WriteEndTag) of an element that has no
  // word in the translation. The result of open() stays the same.
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
