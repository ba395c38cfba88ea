// Cuts HTML into tags, texts and comments, as the tokenizer of the HTML standard does (13.2.5).
// Keeps every byte: the ranges of the tokens are consecutive and cover the whole text. Also
// classifies elements for translation.
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/text_range.h"

namespace dragoman::engine {

// The properties of an element that matter for translation.
struct HtmlElementKind {
  // The element begins a new line, so its tags separate texts. All other elements, even unknown
  // ones, are inline.
  bool is_block = false;
  // Has no content and no end tag (br, img).
  bool is_void = false;
  // Its content is passed through, because it is not text (script, style), not prose (code, pre,
  // textarea), a drawing or formula (svg, math), or a fallback (iframe, object, video).
  bool is_opaque = false;
};

// `name` is in lower case. It may be unknown.
HtmlElementKind KindOfElement(std::string_view name);

// How the tokenizer reads the content up to the end tag: as markup, raw text, a script, text with
// character references, or everything up to the end of the document.
enum class HtmlContent { kMarkup, kRawText, kScript, kTextWithReferences, kRest };

HtmlContent ContentOfElement(std::string_view name);

struct HtmlToken {
  enum class Kind {
    kText,     // may contain character references
    kRawText,  // content of script, style and the like
    kStartTag,
    kEndTag,
    kComment,  // also a doctype, a CDATA section, <? ?>, or a tag that the text's end cuts off
  };
  Kind kind = Kind::kText;
  TextRange range;
  std::string name;              // a tag's name in lower case
  bool is_self_closing = false;  // <x/>
  bool is_title = false;         // kText in which tags are text: content of title or textarea
  bool is_no_translate = false;  // translate="no" or class "notranslate"
  // The document ends inside this token, or inside the raw text that follows this start tag. Then
  // anything appended to the document would become part of the token or its content.
  bool is_unfinished = false;
};

// Returns the tokens in order. Two texts are never adjacent. REQUIRES: `html` is valid UTF-8.
std::vector<HtmlToken> TokenizeHtml(std::string_view html);

}  // namespace dragoman::engine
