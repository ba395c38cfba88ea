// Pairs the start and end tags of an HTML document, which may lack tags or have overlapping ones.
// Decides which end tag ends which element, and which content is passed through as one piece.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/text/html/html_tokenizer.h"

namespace dragoman::engine {

// A node is a token of the document (html_tokenizer.h), or an element that is passed through with
// all its content.
struct HtmlNode {
  enum class Kind {
    kText,
    // Ends a run: a block tag, or a passed-through element with a block tag or an unfinished token.
    kBlock,
    kBreak,  // ends a run and has no content: <br>, <hr>
    kStart,  // an inline start tag
    kEnd,    // an inline end tag; `element` is -1 if it has no start tag
    kVoid,   // an inline void element, or an inline element that is passed through
    kComment,
  };
  Kind kind = Kind::kText;
  TextRange range;
  // Whether the text is inside <title>. A browser would show tags there as text.
  bool is_title = false;
  int32_t element = -1;  // for kStart and kEnd: index of HtmlStructure::elements
};

inline bool EndsText(const HtmlNode& node) {
  return node.kind == HtmlNode::Kind::kBlock || node.kind == HtmlNode::Kind::kBreak;
}

// An inline element.
struct HtmlElement {
  int32_t begin = 0;  // the index of its start tag in HtmlStructure::nodes
  // The index of its end tag. If `is_unclosed`: the index of the next kBlock or kBreak, or the
  // number of nodes.
  int32_t end = 0;
  bool is_unclosed = false;
  // Its start and end tag are in different blocks. It is closed before every kBlock and kBreak
  // between its tags and opened again after it.
  bool is_crossing = false;
};

struct HtmlStructure {
  std::vector<HtmlNode> nodes;        // in order; together they cover every byte of the document
  std::vector<HtmlElement> elements;  // in order of their start tags
};

// Pairs tags in about linear time. html.h has the rules for broken tags.
HtmlStructure PairHtmlTags(const std::vector<HtmlToken>& tokens);

}  // namespace dragoman::engine
