// An HTML document taken apart for translation: what stays as it is, which texts there are, and
// which elements are open at every byte of them. Made once, used by every rebuild.
//
// Thread-safety: plain data after MakeHtmlPlan. Units: bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/offset_map.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// The numbers of open inline elements, outermost (by their start tags) first.
using HtmlStack = std::vector<int32_t>;

struct HtmlTags {
  std::string open;   // the start tag's bytes
  std::string close;  // the end tag's, or one made for an element without
  // Is closed before every block and opened again where it is needed.
  bool is_crossing = false;
};

// A part of the rebuilt document; they are in order.
struct HtmlItem {
  enum class Kind {
    kFixed,    // bytes of the document with exactly these elements open
    kBreak,    // <br> and the like: as kNeutral, but elements that were not open yet are opened
    kNeutral,  // white space, a comment: bytes that open nothing; what they are not in is closed
    kRun,      // the translation of a run
  };
  Kind kind = Kind::kFixed;
  TextRange range;    // of the document; empty where a start tag asks for its element to be open
  int32_t stack = 0;  // in HtmlPlan::stacks; of a run: what is open at its end
  int32_t run = 0;
};

// Inside a run: an inline element, or what has no text (a void element, a comment, a stray tag).
struct HtmlUnit {
  int32_t element = -1;       // -1: no element, but `range`
  TextRange range;            // bytes of the document
  int64_t position = 0;       // in the run's text: the first byte after it
  int32_t stack = 0;          // what is open around it
  bool space_before = false;  // white space stands directly before or after it in the source
  bool space_after = false;
  bool is_open_after = false;  // the block tag after the run stands inside this element
};

struct HtmlRun {
  struct Span {
    int64_t begin = 0;  // from here to the next span
    int32_t stack = 0;
  };
  std::string text;
  OffsetMap offsets;            // text to document
  std::vector<Span> spans;      // the first begins at 0
  std::vector<HtmlUnit> units;  // those that begin inside the run, in order
  std::vector<int64_t> cuts;    // where spans begin and units stand, in order
};

struct HtmlPlan {
  std::string html;
  std::vector<HtmlTags> elements;
  std::vector<HtmlStack> stacks;
  std::vector<HtmlItem> items;
  std::vector<HtmlRun> runs;
};

// Errors as HtmlDocument::Parse.
absl::StatusOr<HtmlPlan> MakeHtmlPlan(std::string_view html);

}  // namespace dragoman::engine
