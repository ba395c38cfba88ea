// Which tags belong together, in HTML as it is written: which end tag ends which element, what is
// passed through as one piece, and what is done where tags are missing or overlap.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/text/html/html_tokenizer.h"

namespace dragoman::engine {

// A token of the document as the translation sees it.
struct HtmlNode {
  enum class Kind {
    kText,
    kBlock,  // ends a text: a block tag, or what is passed through and has such tags in it or is
             // not finished when the document ends
    kBreak,  // ends a text and has no content: <br>, <hr>
    kStart,  // of an inline element
    kEnd,    // of an inline element; its element is -1 when there is none: a stray tag
    kVoid,   // an inline void element, or an inline element that is passed through
    kComment,
  };
  Kind kind = Kind::kText;
  TextRange range;
  bool is_title = false;  // text where tags are text too
  int32_t element = -1;   // of kStart and kEnd: in HtmlStructure::elements
};

inline bool EndsText(const HtmlNode& node) {
  return node.kind == HtmlNode::Kind::kBlock || node.kind == HtmlNode::Kind::kBreak;
}

// An inline element.
struct HtmlElement {
  int32_t begin = 0;  // its start tag, in nodes
  // Its end tag. When `is_unclosed`: the node before which it ends, the next kBlock or kBreak, or
  // the end.
  int32_t end = 0;
  bool is_unclosed = false;
  // Its tags stand in different blocks: it is ended before every kBlock and kBreak between
  // them and begun again after it.
  bool is_crossing = false;
};

struct HtmlStructure {
  std::vector<HtmlNode> nodes;        // every byte of the document, in order
  std::vector<HtmlElement> elements;  // in order of their start tags
};

// Time is linear in the number of tokens. The rules for broken tags are in html.h.
HtmlStructure PairHtmlTags(const std::vector<HtmlToken>& tokens);

}  // namespace dragoman::engine
