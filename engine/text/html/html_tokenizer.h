// Cuts HTML into tags, texts and the rest, as the HTML standard's tokeniser does (13.2.5), and
// keeps every byte: the tokens' ranges follow each other from the beginning to the end.
//
// Thread-safety: pure function. Units: bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/text_range.h"

namespace dragoman::engine {

struct HtmlToken {
  enum class Kind {
    kText,     // references in it stand for characters
    kRawText,  // content of script, style and the like
    kStartTag,
    kEndTag,
    kComment,  // and doctypes, CDATA sections, <? ?>, and a tag that the text ends in
  };
  Kind kind = Kind::kText;
  TextRange range;
  std::string name;              // of tags, in lower case
  bool is_self_closing = false;  // <x/>
  bool is_title = false;         // text where tags are text too
  bool is_no_translate = false;  // translate="no" or class "notranslate"
  // The document ends inside it, or inside its content that has no markup: anything appended to the
  // document would become part of it.
  bool is_unfinished = false;
};

// REQUIRES: `html` is valid UTF-8. Two texts never stand side by side.
std::vector<HtmlToken> TokenizeHtml(std::string_view html);

}  // namespace dragoman::engine
