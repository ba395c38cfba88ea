// Writes a paragraph with formatting as HTML in which elements and voids have numbers, so that the
// engine translates it and places its formatting by the alignment. Reads the translation again.
//
//   <g0>Hello</g0> big <img 1> world, see <code 2>main()</code>
//
// An element is formatting around words, such as bold. A void is a thing between words, such as an
// image. A break is a void that ends a sentence, such as the end of a line. A kept text is a void
// that reads as a word of the sentence, such as a name in program code.
//
// Thread-safety: one thread per builder; the rest are pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/documents/document.h"

namespace dragoman::engine {

class FragmentBuilder {
 public:
  void Text(std::string_view text);
  void Open(int number);
  void Close(int number);
  void Void(int number);
  void Break(int number);
  void Kept(int number, std::string_view text);

  // Whether there is a text that is not white space.
  bool has_text() const { return has_text_; }
  // Returns the paragraph: in kPlain if it has no markup.
  DocumentText Take();

 private:
  void Tag(std::string_view before, int number);

  std::string html_;
  std::string plain_;
  bool has_text_ = false;
  bool has_markup_ = false;
};

struct FragmentPiece {
  enum class Kind { kText, kOpen, kClose, kVoid };
  Kind kind = Kind::kText;
  int number = -1;   // of the element or void; a break and a kept text are voids here
  std::string text;  // kText: without markup
};

// Returns the parts of a translation of `source`. Elements are balanced; one may come several times.
// A repeated void is left out. Returns INVALID_ARGUMENT if a void of `source` is missing, or a tag
// is none of its.
absl::StatusOr<std::vector<FragmentPiece>> ReadFragment(const DocumentText& source,
                                                        std::string_view translation);

// Appends `text` to `xml` with & < > escaped, and without the characters that XML 1.0 excludes.
void AppendXmlText(std::string_view text, std::string& xml);

}  // namespace dragoman::engine
