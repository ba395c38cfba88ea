// Defines the parts of a document with inline markup, HTML or Markdown, in the document's order:
// texts, inline elements, and what stands between them. html_pairs.h and markdown_structure.h find
// them; markup_plan.h makes a plan from them.
//
// Plain values. Units: bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/text_format.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

struct MarkupNode {
  enum class Kind {
    kText,
    kBlock,  // ends a run, such as a block tag or the beginning of a list item
    kBreak,  // ends a run and has no content: <br>, <hr>, a hard line break
    kStart,  // the beginning of an inline element
    kEnd,    // the end of an inline element; `element` is -1 if it has no beginning
    kVoid,   // an inline element without content, or one that is passed through
    kComment,
  };
  Kind kind = Kind::kText;
  TextRange range;
  // Whether the text is inside <title>. A browser would show tags there as text.
  bool is_title = false;
  // Whether '&' in the text is a character. Otherwise it begins a character reference.
  bool is_literal = false;
  // kText: the stand-in in the run, a key of MarkupStructure::kept; nullptr if it has the text.
  const std::string* stand_in = nullptr;
  int32_t element = -1;  // for kStart and kEnd: index of MarkupStructure::elements
};

inline bool EndsText(const MarkupNode& node) {
  return node.kind == MarkupNode::Kind::kBlock || node.kind == MarkupNode::Kind::kBreak;
}

// Tells what an element is. The kinds other than kTags exist only in Markdown.
enum class MarkupElementKind {
  kTags,
  kEmphasis,  // *, **, _, __, ~ or ~~
  kLink,      // [text](address), [text][label]
  kAddress,   // <address>
};

// An inline element.
struct MarkupElement {
  int32_t begin = 0;  // the index of its kStart in MarkupStructure::nodes
  // The index of its kEnd. If `is_unclosed`: the index of the next kBlock or kBreak, or the number
  // of nodes.
  int32_t end = 0;
  bool is_unclosed = false;
  // Its kStart and kEnd are in different blocks. It is closed before every kBlock and kBreak
  // between them and opened again after it.
  bool is_crossing = false;
  std::string open;  // the bytes that begin and end the element in the rebuilt document
  std::string close;
  MarkupElementKind kind = MarkupElementKind::kTags;
  std::string address;  // kAddress: its text
};

struct MarkupStructure {
  TextFormat format = TextFormat::kHtml;
  // In order. In HTML, they cover every byte of the document. In Markdown, bytes between two nodes
  // that are not separated by a kBlock or kBreak are dropped: a backslash before a character, or
  // the '>' before a line.
  std::vector<MarkupNode> nodes;
  std::vector<MarkupElement> elements;  // in order of their kStart
  // Markdown only: characters that may be markup anywhere in this document. They are brackets if it
  // defines labels ([label]: address), and '|' if it has a table.
  std::string marks;
  // Maps each stand-in (AddStandIn) to the bytes of the document.
  std::map<std::string, std::string, std::less<>> kept;
};

// Adds a kText node for the bytes `range` of the document. In a run its text is a stand-in:
// `content` between two '`', with '-' for white space. The stand-in is a placeholder
// (placeholders.h): the model sees one word, and the engine makes translations keep it. Returns
// false, and adds nothing, if the stand-in is not a valid placeholder, already stands for other
// bytes, or if it or `range` is too long.
bool AddStandIn(std::string_view document, TextRange range, std::string_view content,
                MarkupStructure* structure);

}  // namespace dragoman::engine
