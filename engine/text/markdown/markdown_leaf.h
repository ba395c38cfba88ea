// Follows the inline events of md4c through the bytes of one paragraph, heading, table cell or item
// of a tight list (a "leaf").
//
// Thread-safety: pure function. Units: bytes.
#pragma once

#include <md4c.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/text/markup/markup_structure.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// Describes an inline event of md4c.
struct MarkdownEvent {
  enum class Kind { kEnter, kLeave, kText };
  Kind kind = Kind::kText;
  MD_SPANTYPE span = MD_SPAN_EM;
  MD_TEXTTYPE text = MD_TEXT_NORMAL;
  std::optional<TextRange> range;  // of a text in the document
};

// Finds the leaf with these events, which begins at or after `from`. Appends a kBlock for the bytes
// from `block` to its beginning, and its nodes. Returns the end of the leaf. Returns nullopt if it
// has no text, or if its events do not fit the document; then nothing is appended. `code_is_text`
// is that of ReadMarkdown.
std::optional<size_t> ReadMarkdownLeaf(std::string_view document, bool code_is_text,
                                       const std::vector<MarkdownEvent>& events, size_t block,
                                       size_t from, MarkupStructure& structure);

}  // namespace dragoman::engine
