// Writes the rebuilt document: bytes, and the tags of the inline elements around them.
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

  // Which closed elements MoveTo opens again: all (those that cross blocks only within the limit of
  // MaxRepeatedTagBytes), all within this limit, none. An element is always opened once.
  enum class Need { kAllButCrossing, kCheap, kUnopened };

  // Closes the elements that are not in `stack`, writes `space`, then opens the other elements of
  // `stack`. So `space` is only inside the elements that both sides have in common.
  void MoveTo(std::span<const int32_t> stack, std::string_view space, Need need);
  // Closes the elements that are not in `stack`. Opens nothing.
  void CloseTo(std::span<const int32_t> stack);

  // Append bytes of the document unchanged, and text escaped.
  void Write(std::string_view bytes) { html_ += bytes; }
  void WriteText(std::string_view text);
  // Append a tag of an element without a word. open() does not change.
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
  std::vector<bool> was_open_;  // by element
  int64_t repeated_bytes_ = 0;
};

// Returns how many outermost elements two stacks have in common.
size_t CommonDepth(std::span<const int32_t> a, std::span<const int32_t> b);

}  // namespace dragoman::engine
