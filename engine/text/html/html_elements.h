// How a translation treats the elements of HTML.
//
// Thread-safety: pure functions. Names are in lower case; any text may be asked about.
#pragma once

#include <string_view>

namespace dragoman::engine {

struct HtmlElementKind {
  // Begins a new line: its tags separate texts. Any other element is inline, unknown ones too.
  bool is_block = false;
  // Has no content and no end tag (br, img).
  bool is_void = false;
  // Its content is passed through: not text (script, style), not prose (code, pre, textarea), a
  // drawing or formula (svg, math), or what other browsers see instead (iframe, object, video).
  bool is_opaque = false;
};

HtmlElementKind KindOfElement(std::string_view name);

// How the tokeniser reads the content up to the end tag: markup is markup; none at all is, only
// references are, or all the rest of the text is content.
enum class HtmlContent { kMarkup, kRawText, kScript, kTextWithReferences, kRest };

HtmlContent ContentOfElement(std::string_view name);

}  // namespace dragoman::engine
