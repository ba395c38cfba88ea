// Extracts the texts of an HTML document for translation, and rebuilds the document from the
// translations with every tag in its place (SEARCH.md a.8, "HTML").
//
// Parse cuts the document into *runs*: texts without block tags or <br> inside, each a paragraph as
// a reader sees it. A run's text has no markup. Entities are decoded, and white space is collapsed
// as in a browser. The caller cuts the text into segments and translates them. Rebuild makes the
// document from the translations and their alignments.
//
//   auto document = HtmlDocument::Parse(item);
//   for (int64_t r = 0; r < document->runs(); ++r) ... split and translate document->text(r)
//   RebuiltHtml result = document->Rebuild(segments_by_run, target_uses_spaces);
//
// Thread-safety: const after Parse. Owns its bytes. Units: bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/offset_map.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

struct HtmlPlan;  // html_plan.h

// The maximum nesting depth of inline elements.
inline constexpr int kMaxInlineDepth = 128;

// Returns the number of bytes by which repeated tags may enlarge a document
// (HtmlDocument::Rebuild).
constexpr int64_t MaxRepeatedTagBytes(int64_t document_bytes) { return 65536 + 4 * document_bytes; }

// A token of a translation and the source token it is aligned with, if any.
struct AlignedToken {
  TextRange target;                 // in HtmlSegment::target
  std::optional<TextRange> source;  // counts from HtmlSegment::source.begin
};

// A part of a run's text with its translation.
struct HtmlSegment {
  TextRange source;    // in the run's text
  std::string target;  // plain text
  // In order of target.begin; a word may have several tokens. The ranges of a token may include
  // white space before its text. Tokens with an empty target range are skipped. Source ranges
  // outside the segment are ignored.
  std::vector<AlignedToken> tokens;
};

struct RebuiltHtml {
  struct Segment {
    TextRange range;  // of the translation in `html`, with the tags between its words
    OffsetMap map;    // bytes of HtmlSegment::target to bytes of `html`
  };
  std::string html;
  std::vector<std::vector<Segment>> segments;  // by run, by segment
};

class HtmlDocument {
 public:
  // Returns INVALID_ARGUMENT only if inline elements are nested deeper than kMaxInlineDepth. No
  // other error exists, because the tokenizer of the HTML standard (13.2.5) accepts everything.
  // Time and memory are linear in `html` times the depth. REQUIRES: `html` is valid UTF-8.
  static absl::StatusOr<HtmlDocument> Parse(std::string_view html);
  ~HtmlDocument();
  HtmlDocument(HtmlDocument&&) noexcept;
  HtmlDocument& operator=(HtmlDocument&&) noexcept;

  int64_t runs() const;
  // Returns the run's text. It is never empty and has no white space at its ends. White space
  // inside is U+0020 or one of Unicode's other spaces.
  const std::string& text(int64_t run) const;
  // Returns the bytes of the document for a range of the run's text: entities as a whole, with the
  // tags inside the range.
  TextRange InDocument(int64_t run, TextRange range) const;

  // Returns the document with the translations in place of the runs. Text between the segments of a
  // run (white space, sentences without letters) is kept. Puts one space between two translations
  // if their segments touch, the source script has no spaces, and `target_uses_spaces`.
  //
  // A *word* of a translation is a stretch without white space. Punctuation at its ends is a word
  // of its own. In scripts without spaces, every token is a word. A token is also a word if it is
  // aligned with a place where the source has tags inside a word (H<sub>2</sub>O). The place of a
  // word is the first byte, white space skipped, of the source token that its first token is
  // aligned with.
  //
  //  * A word gets the inline elements that are open at its place. <b>1</b> <b>2</b> reversed are
  //    still two elements. A word without a place gets the elements that its neighbours have in
  //    common. White space is outside the elements that begin or end at it.
  //  * If the words of an element are not adjacent in the translation, the element is closed and
  //    opened again, so its tags are repeated. Beyond MaxRepeatedTagBytes, words lack the elements
  //    that would have to be opened again.
  //  * Void elements, comments and inline elements that are passed through (<code>, translate="no")
  //    go before the first word whose place is at or after theirs, else to the end of the run. They
  //    are inside those of their elements that are open there anyway. White space around them moves
  //    with them. Elements without a word are placed in the same way, as a whole and empty.
  //  * Text is escaped (& < >). Tags, comments, content that is passed through and white space at
  //    the ends of runs are kept byte for byte.
  //
  // Broken tags:
  //  * An inline element without an end tag is closed at the end of its run; <x/> closes itself.
  //  * An element that crosses the border of a block (<p><b>1</p>2</b>) is closed before the border
  //    and opened after it.
  //  * Elements that overlap (<b>1<i>2</b>3</i>) are closed and opened so that they nest.
  //  * An end tag without a start tag keeps its place like a void element and closes nothing.
  //  * Block tags, and a tag that the end of the text cuts off, stay as they are.
  //
  // If every segment is its own source and every token is aligned with itself, the result is the
  // document if its tags nest, except for the spelling of entities and white space inside runs.
  //
  // REQUIRES: `segments` has an element per run. Segments are in order, do not overlap, and are
  // inside the run's text on code point boundaries. Targets are valid UTF-8.
  RebuiltHtml Rebuild(std::span<const std::vector<HtmlSegment>> segments,
                      bool target_uses_spaces) const;

 private:
  explicit HtmlDocument(std::unique_ptr<const HtmlPlan> plan);

  std::unique_ptr<const HtmlPlan> plan_;
};

}  // namespace dragoman::engine
