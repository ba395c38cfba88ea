// Classifies the elements of HTML for translation.
//
// Thread-safety: pure functions. REQUIRES: names are in lower case. Any name is allowed, also one
// that HTML does not define.
#pragma once

#include <string_view>

namespace dragoman::engine {

struct HtmlElementKind {
  // The element begins a new line, so its tags separate texts. False for inline elements and
  // unknown names.
  bool is_block = false;
  // The element has no content and no end tag (br, img).
  bool is_void = false;
  // The content of the element is not translated, because it is not text (script, style), not prose
  // (code, pre, textarea), a drawing or formula (svg, math), or a fallback for old browsers
  // (iframe, object, video).
  bool is_opaque = false;
};

HtmlElementKind KindOfElement(std::string_view name);

// How the tokenizer reads the content of an element up to its end tag. kMarkup: as tags and text.
// kRawText: tags and character references are text. kScript: like kRawText, but with the special
// rules for <script>. kTextWithReferences: only tags are text. kRest: everything to the end of the
// document is raw text.
enum class HtmlContent { kMarkup, kRawText, kScript, kTextWithReferences, kRest };

HtmlContent ContentOfElement(std::string_view name);

}  // namespace dragoman::engine
