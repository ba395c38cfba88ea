// Finds the texts and inline elements of a Markdown document (CommonMark 0.30 with GitHub's tables,
// strikethrough and task lists). The parser is md4c. It reports no positions of its own, so this
// file follows its events through the document's bytes.
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <string_view>

#include "engine/text/markup/markup_structure.h"

namespace dragoman::engine {

// Returns the parts of the document. What is not text or an inline element is in kBlock nodes:
// markers of headings, lists, quotes and table cells, code blocks, HTML blocks, definitions of
// labels, and front matter (lines between two "---" at the beginning).
//
//  * Code spans, images, addresses in < >, footnote marks ([^1]) and unpaired HTML tags are kVoid.
//    With `code_is_text`, code spans are stand-ins if they can be (AddStandIn), and addresses that
//    are placeholders (placeholders.h) are text, because a sentence without them is hard to
//    translate.
//    Paired HTML tags of one paragraph are elements; <code> and the like are kVoid with their
//    content.
//  * A link that is found by its text ("[text]", "[text][]") ends with "][text]" in the rebuilt
//    document, so that a translated text finds the same label.
//  * A bare URL is text, and its '_' and '*' are not emphasis.
//
// Takes time about linear in the document. REQUIRES: `markdown` is valid UTF-8.
MarkupStructure ReadMarkdown(std::string_view markdown, bool code_is_text);

}  // namespace dragoman::engine
