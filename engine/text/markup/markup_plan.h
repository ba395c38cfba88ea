// The parsed form of a document from which MarkupDocument::Rebuild writes the translated document.
// It has the bytes that stay as they are, the texts of the runs (markup.h), and the inline elements
// that are open at every byte of a run.
//
// Thread-safety: plain data after MakeMarkupPlan. Units: bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/markup/markup_structure.h"
#include "engine/text/offset_map.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// The indices of open inline elements, outermost (by their start tags) first.
using MarkupStack = std::vector<int32_t>;

struct MarkupTags {
  std::string open;   // the start tag's bytes
  std::string close;  // the end tag's bytes, or a new end tag if the element has none
  MarkupElementKind kind = MarkupElementKind::kTags;
  std::string address;  // MarkupElement::address
  // The element is closed before every block and opened again when it is needed.
  bool is_crossing = false;
};

// A part of the rebuilt document. MarkupPlan::items has the parts in the document's order.
struct MarkupItem {
  enum class Kind {
    kFixed,    // bytes of the document inside exactly the elements of `stack`
    kBreak,    // <br> and the like: like kFixed, but opens only elements that were never open
    kNeutral,  // white space or a comment: closes the elements that are not in `stack`, opens none
    kRun,      // the translation of a run
  };
  Kind kind = Kind::kFixed;
  TextRange range;    // in the document; empty for a start tag that only opens its element
  int32_t stack = 0;  // index of MarkupPlan::stacks; for a run, the stack at its end
  int32_t run = 0;
};

// A part of a run, other than a word, that the rebuilt document places among the words: an inline
// element, a void element, a comment, an element that is passed through, or an end tag without a
// start tag.
struct MarkupUnit {
  // Index of MarkupPlan::elements; -1: not an inline element, and `range` is set.
  int32_t element = -1;
  TextRange range;       // bytes of the document
  int64_t position = 0;  // in the run's text: the first byte after the unit's start
  int32_t stack = 0;     // the elements that are open around the unit
  // Whether the source has white space directly before or after the unit.
  bool space_before = false;
  bool space_after = false;
  bool is_open_after = false;  // the block tag after the run is inside this element
};

struct MarkupRun {
  struct Span {
    int64_t begin = 0;  // in `text`; the span ends where the next one begins
    int32_t stack = 0;
  };
  std::string text;
  OffsetMap offsets;              // maps bytes of `text` to bytes of the document
  std::vector<Span> spans;        // the first begins at 0
  std::vector<MarkupUnit> units;  // those that begin inside the run, in order
  std::vector<int64_t> cuts;      // the positions of spans and units, in order
};

struct MarkupPlan {
  std::string document;
  TextFormat format = TextFormat::kHtml;
  // The members of MarkupStructure with these names.
  std::string marks;
  std::map<std::string, std::string, std::less<>> kept;
  std::vector<MarkupTags> elements;
  std::vector<MarkupStack> stacks;
  std::vector<MarkupItem> items;
  std::vector<MarkupRun> runs;
};

// Makes the plan of a document. The errors are those of MarkupDocument::Parse.
absl::StatusOr<MarkupPlan> MakeMarkupPlan(std::string_view document, MarkupStructure structure);

}  // namespace dragoman::engine
