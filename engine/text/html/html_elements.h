// Classifies the elements of HTML for translation.
//
// Thread-safety: pure functions. Names are in lower case and need not be known.
#pragma once

#include <string_view>

namespace dragoman::engine {

struct HtmlElementKind {
  // Begins a new line, so its tags separate texts. All others, even unknown ones, are inline.
  bool is_block = false;
  // Has no content and no end tag (br, img).
  bool is_void = false;
  // Its content is passed through, because it is not text (script, style), not prose (code, pre,
  // textarea), a drawing or formula (svg, math), or a fallback (iframe, object, video).
  bool is_opaque = false;
};

HtmlElementKind KindOfElement(std::string_view name);

// How the tokenizer reads the content up to the end tag: as markup, raw text, a script, text with
// character references, or everything up to the end of the document.
enum class HtmlContent { kMarkup, kRawText, kScript, kTextWithReferences, kRest };

HtmlContent ContentOfElement(std::string_view name);

}  // namespace dragoman::engine
