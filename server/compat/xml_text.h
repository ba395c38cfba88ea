// Translates a text with XML tags through the engine's HTML (engine/text/markup/markup.h), with
// DeepL's options: tags that split the text, and tags whose content stays unchanged.
//
// Every tag becomes a numbered HTML tag without meaning. After the translation the numbers are
// replaced by the tags. So tags, comments and processing instructions keep their bytes. The engine
// chooses their places: an inline element surrounds the translated words that are aligned with its
// own words. If these translated words are not adjacent, its tags are repeated.
//
//   auto text = XmlText::Parse(item, options);
//   ... translate text->html() as text/html ...
//   std::string xml = text->Restore(translated);
//
// These elements split the text:
// - the elements of splitting_tags, anywhere, and the elements around them;
// - the outline, which is found from the top down. If an element that splits contains only
//   elements, with nothing or line ends between them, these elements split too. The text as a whole
//   counts as an element that splits. non_splitting_tags are never part of the outline.
//
// Elements without text (<x id="3"></x>) and those of ignore_tags stay as they are, each as one
// unit in its sentence. CDATA is text and comes back escaped. White space becomes one space, except
// for line ends that split the text.
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

// Names are case-sensitive, as in XML.
struct XmlOptions {
  bool outline = true;
  bool line_ends_split = true;
  std::set<std::string, std::less<>> splitting;
  std::set<std::string, std::less<>> non_splitting;
  std::set<std::string, std::less<>> ignored;
};

class XmlText {
 public:
  // INVALID_ARGUMENT names the byte and what was found there if the tags are not well-formed: an
  // element that is not closed or not open, a '<' or '&' that begins nothing, an unknown entity,
  // too many or too deep elements. A text need not be one element. REQUIRES: valid UTF-8.
  static absl::StatusOr<XmlText> Parse(std::string_view xml, const XmlOptions& options);

  const std::string& html() const { return html_; }

  // The maximum number of bytes of tags that Restore adds.
  size_t most_tag_bytes() const { return std::max(kAlwaysFits, kMostRepeats * xml_->size()); }

  // Returns the translation with the original tags. `html` is a translation of html(). An element's
  // tags are repeated if its words are not adjacent. INVALID_ARGUMENT if the tags need more than
  // most_tag_bytes(); this is checked before anything is built.
  absl::StatusOr<std::string> Restore(std::string_view html) const;

 private:
  friend class XmlWriter;

  // The bytes that a number stands for: a start tag and its end tag, or in `open` a complete piece,
  // such as an element of ignore_tags.
  struct Piece {
    std::string_view open;
    std::string_view close;
  };

  // Calls visit(text, tag) for each text of a translation and the bytes of the tag after it.
  template <typename Visit>
  void ForEachPiece(std::string_view html, Visit visit) const;

  // The tags in a translation may have kMostRepeats times the bytes of the text, or kAlwaysFits
  // bytes if that is more.
  static constexpr size_t kMostRepeats = 4;
  static constexpr size_t kAlwaysFits = 64 * 1024;

  std::unique_ptr<const std::string> xml_;  // its bytes do not move with this object
  std::string html_;
  std::vector<Piece> pieces_;  // views of *xml_
};

}  // namespace dragoman::server
