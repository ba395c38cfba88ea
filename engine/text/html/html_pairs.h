// Pairs the start and end tags of an HTML document, which may lack tags or have overlapping ones.
// Decides which end tag ends which element, and which content is passed through as one piece.
//
// Thread-safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "engine/text/html/html_tokenizer.h"
#include "engine/text/markup/markup_structure.h"

namespace dragoman::engine {

// Pairs tags in about linear time. A node is a token of the document, or an element that is passed
// through with all its content. With `code_is_text`, if no text of the document has a '`', <code>
// and inline elements with translate="no" become stand-ins where AddStandIn allows it. markup.h has
// the rules for broken tags.
MarkupStructure PairHtmlTags(std::string_view html, const std::vector<HtmlToken>& tokens,
                             bool code_is_text);

}  // namespace dragoman::engine
