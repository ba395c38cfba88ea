// Pairs the tags of HTML as it is written: which end tag ends which element, which content is
// passed through as one piece, and how missing or overlapping tags are treated.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/text/html/html_tokenizer.h"

namespace dragoman::engine {

// A token of the document as the translation sees it.
struct HtmlNode {
  enum class Kind {
    kText,
    kBlock,  // ends a text: a block tag, or content passed through that has one or is unfinished
    kBreak,  // ends a text and has no content: <br>, <hr>
    kStart,  // of an inline element
    kEnd,    // of an inline element; `element` is -1 for a stray tag
    kVoid,   // an inline void element, or an inline element that is passed through
    kComment,
  };
  Kind kind = Kind::kText;
  TextRange range;
  bool is_title = false;  // text in which tags are text
  int32_t element = -1;   // for kStart and kEnd: index of HtmlStructure::elements
};

inline bool EndsText(const HtmlNode& node) {
  return node.kind == HtmlNode::Kind::kBlock || node.kind == HtmlNode::Kind::kBreak;
}

// An inline element.
struct HtmlElement {
  int32_t begin = 0;  // the node of its start tag
  // The node of its end tag. If `is_unclosed`: the next kBlock or kBreak, or the end.
  int32_t end = 0;
  bool is_unclosed = false;
  // Its tags are in different blocks. It is closed before every kBlock and kBreak between them and
  // opened again after it.
  bool is_crossing = false;
};

struct HtmlStructure {
  std::vector<HtmlNode> nodes;        // every byte of the document, in order
  std::vector<HtmlElement> elements;  // in order of their start tags
};

// Pairs tags in about linear time. html.h has the rules for broken tags.
HtmlStructure PairHtmlTags(const std::vector<HtmlToken>& tokens);

}  // namespace dragoman::engine
