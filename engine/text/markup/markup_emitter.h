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

#include "engine/text/markup/markup_plan.h"

namespace dragoman::engine {

class MarkupEmitter {
 public:
  // Borrows the plan.
  explicit MarkupEmitter(const MarkupPlan& plan);

  // Says whether MoveTo opens an element again that was open before and has been closed. MoveTo
  // always opens an element that has never been open. The limit for repeated tags is
  // MaxRepeatedTagBytes.
  //   kAllButCrossing: opens each element again; one that crosses blocks (MarkupTags::is_crossing),
  //     only until the limit is reached.
  //   kCheap: opens elements again until the limit is reached.
  //   kUnopened: opens no element again.
  enum class Need { kAllButCrossing, kCheap, kUnopened };

  // Closes the elements that are not in `stack`, writes `space`, then opens the other elements of
  // `stack`. So `space` is only inside the elements that are open both before and after it.
  void MoveTo(std::span<const int32_t> stack, std::string_view space, Need need);
  // Closes the elements that are not in `stack`. Opens nothing.
  void CloseTo(std::span<const int32_t> stack);

  // Write appends bytes of the document unchanged. WriteText appends the character at
  // bytes [at, end) of `text`, escaped where it could be markup.
  void Write(std::string_view bytes) { written_ += bytes; }
  void WriteText(std::string_view text, size_t at, size_t end);
  // Appends a space if `bytes`, which come next, and the bytes before them would be read as one
  // mark of code.
  void SeparateCode(std::string_view bytes) {
    if (bytes.starts_with('`') && written_.ends_with('`')) written_ += ' ';
  }
  // Reports whether the last byte is white space or belongs to what is before the run.
  bool is_after_blank() const {
    return written_.size() == line_ || written_.ends_with(' ') || written_.ends_with('\n');
  }
  // Says that the text of a run begins here.
  void BeginLine() { line_ = written_.size(); }
  // Appends the start tag (WriteStartTag) or the end tag (WriteEndTag) of an element that has no
  // word in the translation. The result of open() stays the same.
  void WriteStartTag(int32_t element);
  void WriteEndTag(int32_t element);

  const MarkupStack& open() const { return open_; }
  int64_t size() const { return static_cast<int64_t>(written_.size()); }
  std::string Finish();

 private:
  void CloseFrom(size_t depth);

  const MarkupPlan& plan_;
  const std::string link_marks_;  // MarkupPlan::marks, and brackets
  std::string written_;
  // The characters of this text before this position belong to a placeholder that is written.
  const char* kept_text_ = nullptr;
  size_t kept_end_ = 0;
  size_t line_ = 0;  // where the text of the run begins
  MarkupStack open_;
  std::vector<bool> was_open_;  // by element: whether its start tag has been written
  int64_t repeated_bytes_ = 0;
};

// Returns the number of elements, counted from the outermost, that two stacks have in common.
size_t CommonDepth(std::span<const int32_t> a, std::span<const int32_t> b);

}  // namespace dragoman::engine
