// Writes the rebuilt document: bytes, each with the inline elements that must be open around them.
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

  // Which elements are opened again, after they were closed: those that do not cross blocks, all
  // within the limit of MaxRepeatedTagBytes, none. The first time every element is opened.
  enum class Need { kAllButCrossing, kCheap, kUnopened };

  // Closes what is not in `stack`, writes `space`, opens what is not open yet. In between, only the
  // elements common to both sides are open: white space belongs to neither side.
  void MoveTo(std::span<const int32_t> stack, std::string_view space, Need need);
  // Closes what is not in `stack`; opens nothing.
  void CloseTo(std::span<const int32_t> stack);

  // Appends bytes of the document as they are, or text, escaped.
  void Write(std::string_view bytes) { html_ += bytes; }
  void WriteText(std::string_view text);
  // An element's tags by themselves: for one without a word.
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

// How many elements two stacks have in common from the outside.
size_t CommonDepth(std::span<const int32_t> a, std::span<const int32_t> b);

}  // namespace dragoman::engine
