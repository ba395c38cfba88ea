// An HTML text to translate: what of it is text, and how a translation becomes HTML again with
// every tag at its place (SEARCH.md a.8, "HTML").
//
// Parse cuts the document into *runs*: texts without block tags and <br> inside, each a paragraph
// as a reader sees it. A run's text has no markup, entities are decoded, and white space is
// collapsed as a browser does. The caller cuts it into segments, translates each, and Rebuild puts
// the document together from the translations and their alignments.
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

// How deep inline elements may be nested.
inline constexpr int kMaxInlineDepth = 128;

// The number of bytes of tags by which a document may grow where tags have to be repeated (below).
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
  // In order of target.begin, several a word; white space before a token's text may be part of its
  // ranges. Empty target ranges are skipped, source ranges outside the segment count as none.
  std::vector<AlignedToken> tokens;
};

struct RebuiltHtml {
  struct Segment {
    TextRange range;  // where the translation lies in `html`, the tags between its words included
    OffsetMap map;    // bytes of HtmlSegment::target to bytes of `html`
  };
  std::string html;
  std::vector<std::vector<Segment>> segments;  // by run, by segment
};

class HtmlDocument {
 public:
  // INVALID_ARGUMENT only for inline elements nested deeper than kMaxInlineDepth. Whatever else the
  // bytes are, they are HTML: the tokeniser is that of the HTML standard (13.2.5), which has no
  // error that stops it. Time and memory are linear in `html` (times the depth of inline elements).
  // REQUIRES: `html` is valid UTF-8.
  static absl::StatusOr<HtmlDocument> Parse(std::string_view html);
  ~HtmlDocument();
  HtmlDocument(HtmlDocument&&) noexcept;
  HtmlDocument& operator=(HtmlDocument&&) noexcept;

  int64_t runs() const;
  // Never empty, no white space at its ends, none but U+0020 and Unicode's other spaces inside.
  const std::string& text(int64_t run) const;
  // The bytes of the document that a part of the run's text stands in: an entity as a whole, tags
  // inside the range included.
  TextRange InDocument(int64_t run, TextRange range) const;

  // The document with the translations in place of the runs. What lies between the segments of a
  // run (white space, sentences without letters) stands for itself. Where two segments touch, the
  // source script has no spaces and `target_uses_spaces`, one space is put between the
  // translations.
  //
  // A *word* of a translation is a stretch without white space, less the punctuation at its ends,
  // which is a word of its own. In scripts without spaces every token is a word, and so is a token
  // aligned with a place where the source has tags inside a word (H<sub>2</sub>O). Its place is
  // that of the source token that its first token is aligned with: the token's first byte that is
  // not white space.
  //
  //  * A word gets the inline elements that are open at its place, as instances: <b>1</b> <b>2</b>
  //    reversed are two elements still. A word without a place gets those that its neighbours have
  //    in common. White space is outside of what begins or ends there.
  //  * An element whose words do not stand side by side in the translation is closed and opened
  //    again: its start and end tag are repeated. Beyond MaxRepeatedTagBytes, words go without the
  //    elements that would have to be opened again.
  //  * Void elements, comments and what is passed through inside a run (<code>, translate="no") go
  //    before the first word whose place is theirs or after it, else to the end of the run, inside
  //    those of their elements that stand open there anyway. White space around them comes with
  //    them. So do elements that are left without a word, as a whole and empty.
  //  * Text is escaped (& < >). Tags, comments and everything passed through come back byte for
  //    byte, white space at the ends of runs too.
  //
  // Broken tags. An inline element never closed is closed at the end of its run (but <x/> closes
  // itself); one that is closed beyond the end or beginning of a block (<p><b>1</p>2</b>) is closed
  // before it and opened after it; elements that overlap (<b>1<i>2</b>3</i>) are closed and opened
  // so that they nest; an end tag without a start tag stays where it is, like a void element, and
  // closes nothing. Block tags stay as they are. A tag that the text ends in stays as it is.
  //
  // With every segment its own source and each token aligned with itself, the result is the
  // document itself, if its tags nest and but for the spelling of entities and white space inside
  // runs.
  //
  // REQUIRES: `segments` has an element per run; segments are in order, do not overlap and lie in
  // the run's text on code point boundaries; targets are valid UTF-8.
  RebuiltHtml Rebuild(std::span<const std::vector<HtmlSegment>> segments,
                      bool target_uses_spaces) const;

 private:
  explicit HtmlDocument(std::unique_ptr<const HtmlPlan> plan);

  std::unique_ptr<const HtmlPlan> plan_;
};

}  // namespace dragoman::engine
