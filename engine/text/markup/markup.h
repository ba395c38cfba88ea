// Extracts the texts of an HTML or Markdown document for translation, and rebuilds the document
// from the translations with every tag in its place (SEARCH.md a.8, "HTML").
//
// Parsing finds the *runs* of the document: stretches of text without block tags or <br> inside. A
// reader sees a run as a paragraph. A run's text has no markup. Entities are decoded, and white
// space is collapsed as in a browser. The caller cuts the text into segments and translates them.
// Rebuild makes the document from the translations and their alignments.
//
//   auto document = MarkupDocument::Parse(item, TextFormat::kHtml);
//   for (int64_t r = 0; r < document->runs(); ++r) ... split and translate document->text(r)
//   RebuiltMarkup result = document->Rebuild(segments_by_run, target_uses_spaces);
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
#include "engine/api/text_format.h"
#include "engine/text/offset_map.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

struct MarkupPlan;  // markup_plan.h

// The maximum nesting depth of inline elements.
inline constexpr int kMaxInlineDepth = 128;

// Returns the limit in bytes for repeated tags. Rebuild repeats the tags of an element if
// translation has moved the words of the element apart.
constexpr int64_t MaxRepeatedTagBytes(int64_t document_bytes) { return 65536 + 4 * document_bytes; }

// A token of a translation, and the source token that it is aligned with, if any.
struct AlignedToken {
  TextRange target;                 // in MarkupSegment::target
  std::optional<TextRange> source;  // relative to MarkupSegment::source.begin
};

// A part of a run's text with its translation.
struct MarkupSegment {
  TextRange source;    // in the run's text
  std::string target;  // plain text
  // In order of target.begin; a word may have several tokens. The ranges of a token may include
  // white space before its text. Tokens with an empty target range are skipped. Source ranges
  // outside the segment are ignored.
  std::vector<AlignedToken> tokens;
};

struct RebuiltMarkup {
  struct Segment {
    TextRange range;  // the translation in `document`, including the tags between its words
    OffsetMap map;    // maps bytes of MarkupSegment::target to bytes of `document`
  };
  std::string document;
  std::vector<std::vector<Segment>> segments;  // segments[run][segment]
};

class MarkupDocument {
 public:
  // Parses a document in the format kHtml or kMarkdown. Returns INVALID_ARGUMENT only if inline
  // elements are nested deeper than kMaxInlineDepth. No other error exists, because the tokenizer
  // of the HTML standard (13.2.5) and CommonMark accept everything. Time and memory are at most
  // proportional to the size of the document times the nesting depth of inline elements.
  //
  // In Markdown, block tags are the marks of headings, lists, quotes and table cells, code blocks
  // and HTML blocks. Inline elements are emphasis, links and paired HTML tags. Code spans and
  // images are passed through. markdown_structure.h has the details.
  //
  // With `code_is_text`, most code spans, <code> and inline elements with translate="no" are text:
  // each is a placeholder in its run (FindPlaceholders). The caller makes the translation keep it,
  // and the rebuilt document has the original bytes there.
  //
  // REQUIRES: `document` is valid UTF-8.
  static absl::StatusOr<MarkupDocument> Parse(std::string_view document, TextFormat format,
                                              bool code_is_text = false);
  ~MarkupDocument();
  MarkupDocument(MarkupDocument&&) noexcept;
  MarkupDocument& operator=(MarkupDocument&&) noexcept;

  int64_t runs() const;
  // Returns the run's text. It is never empty and has no white space at its ends. White space
  // inside is U+0020 or one of Unicode's other spaces.
  const std::string& text(int64_t run) const;
  // Returns the range of the document that `range` of the run's text comes from. It includes the
  // tags between its characters and all bytes of each entity ("&amp;").
  TextRange InDocument(int64_t run, TextRange range) const;
  // Returns the bytes of the document that a placeholder of a run stands for, or the placeholder
  // itself if it stands for none.
  std::string_view BytesOf(std::string_view placeholder) const;

  // Returns the document with the translations in place of the runs. Text between the segments of a
  // run (white space, sentences without letters) is kept. Puts one space between two translations
  // if their segments touch, the source script has no spaces, and `target_uses_spaces`.
  //
  // A *word* of a translation is a stretch without white space. Punctuation at its ends is a word
  // of its own. In scripts without spaces, every token is a word. A token is also a word if it is
  // aligned with a position where the source has tags inside a word (H<sub>2</sub>O). The *place*
  // of a word is a position in the run's text: the first byte that is not white space of the source
  // token that the word's first token is aligned with. Punctuation that ends both a stretch and the
  // source word of its text has its place there, because models align it with the text.
  //
  //  * A word gets the inline elements that are open at its place. If a translation reverses
  //    <b>1</b> <b>2</b>, the result still has two elements. A word without a place gets the
  //    elements that its neighbours have in common. White space is outside the elements that begin
  //    or end at it.
  //  * If the words of an element are not adjacent in the translation, the element is closed and
  //    opened again, so its tags are repeated. Once the repeated tags have reached
  //    MaxRepeatedTagBytes, no element is opened again, so some words lack their elements.
  //  * Void elements, comments and inline elements that are passed through (<svg>, say)
  //    go before the first word whose place is at or after their position in the source, else to
  //    the end of the run. If an element that was around them in the source is open there, they are
  //    inside it; no element is opened for them. White space around them moves with them. An
  //    element that has no word in the translation is placed in the same way, with its start and
  //    end tag together.
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
  // If the target of every segment equals its source and every token is aligned with itself, the
  // result is the document, provided that its tags nest. Only the spelling of entities and the
  // white space inside runs may differ.
  //
  // Markdown:
  //  * Characters of a translation that would be markup get a backslash. A line break inside a
  //    paragraph becomes a space.
  //  * Emphasis without a word disappears. Where CommonMark would not read the mark of an emphasis,
  //    the emphasis leaves out punctuation at its ends (**a.**b becomes **a**.b), or is dropped.
  //
  // REQUIRES: `segments` has an element per run. Segments are in order, do not overlap, and are
  // inside the run's text on code point boundaries. Targets are valid UTF-8.
  RebuiltMarkup Rebuild(std::span<const std::vector<MarkupSegment>> segments,
                        bool target_uses_spaces) const;

 private:
  explicit MarkupDocument(std::unique_ptr<const MarkupPlan> plan);

  std::unique_ptr<const MarkupPlan> plan_;
};

}  // namespace dragoman::engine
