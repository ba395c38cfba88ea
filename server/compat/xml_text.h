// A text with XML tags, translated by way of the engine's HTML (engine/text/html/html.h), and what tags
// mean in DeepL's dialect: which of them split the text, and which hold what stays as it is.
//
// Every tag becomes a tag of HTML without a meaning of its own, with a number; after the
// translation the numbers are exchanged for the tags. So the bytes of tags, comments and
// processing instructions come back as they were, at the places where the engine puts them: an
// inline element around the words that are aligned with its own, closed and opened again where
// those do not stand side by side.
//
//   auto text = XmlText::Parse(item, options);
//   ... translate text->html() as text/html ...
//   std::string xml = text->Restore(translated);
//
// What splits. The outline: an element of one whose content is elements alone, with nothing between
// them or with line ends, from the top down; the text as a whole counts as such an element. And
// splitting_tags, wherever they stand. Never: non_splitting_tags and what is inside of them,
// splitting_tags apart.
//
// An element without text (<x id="3"></x>) and an element of ignore_tags come back as one piece. A
// CDATA section is text, and comes back escaped. White space inside a text becomes one space, as in
// HTML, but where line ends split.
//
// Immutable and thread-safe. Time and memory are linear in the text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::server {

// Names are compared as XML does, case included.
struct XmlOptions {
  bool outline = true;
  bool line_ends_split = true;
  std::set<std::string, std::less<>> splitting;
  std::set<std::string, std::less<>> non_splitting;
  std::set<std::string, std::less<>> ignored;
};

class XmlText {
 public:
  // INVALID_ARGUMENT names the byte and what was found there, where the tags are not well-formed:
  // an element that is not closed or not open, a '<' or '&' that begins nothing, a reference to a
  // name that XML does not define by itself. A text need not be one element. REQUIRES: valid UTF-8.
  static absl::StatusOr<XmlText> Parse(std::string_view xml, const XmlOptions& options);

  const std::string& html() const { return html_; }

  // The most bytes of tags that Restore puts back.
  size_t most_tag_bytes() const { return std::max(kAlwaysFits, kMostRepeats * xml_->size()); }

  // The translation with its own tags. `html` is a translation of html(), which has an element's tags
  // again wherever its words do not stand side by side. OUT_OF_RANGE where the tags would come back in
  // more than four times the bytes of the text: that is found out before anything is built.
  absl::StatusOr<std::string> Restore(std::string_view html) const;

 private:
  friend class XmlWriter;

  // The bytes that a number stands for: the start tag, or the whole piece; and the end tag.
  struct Piece {
    std::string_view open;
    std::string_view close;
  };

  // Calls visit(text, tag) for each stretch of a translation and the bytes of the tag after it.
  template <typename Visit>
  void ForEachPiece(std::string_view html, Visit visit) const;

  // Tags may have so many times the bytes of the text, and so many bytes in any case.
  static constexpr size_t kMostRepeats = 4;
  static constexpr size_t kAlwaysFits = 64 * 1024;

  std::unique_ptr<const std::string> xml_;  // does not move with this object
  std::string html_;
  std::vector<Piece> pieces_;  // views of *xml_
};

}  // namespace dragoman::server
