// The texts of one XML file: finds the runs of its paragraphs, and writes translations in their
// places.
//
// A run is a stretch of text with inline tags that a reader sees as one text. A format reports the
// tokens of a run in order and ends it; XmlTexts drops tags at the ends of the run, which stay where
// they are, and makes the fragment (fragment.h) that is translated. Runs may be inside the voids of
// other runs, such as the text of a footnote.
//
// Two models of formatting exist:
//   * elements around words (OpenDocument, XHTML, XLIFF): Start and End;
//   * spans, each with its own properties (Office Open XML): Span. Words keep their span's
//     properties, and neighbours with equal properties are one span.
//
// Thread-safety: one thread while it is filled, then const. Owns the file's bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/documents/document.h"
#include "engine/documents/fragment.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

class XmlTexts {
 public:
  explicit XmlTexts(std::string xml) : xml_(std::move(xml)) {}

  const std::string& xml() const { return xml_; }

  // A span's content in order: texts, and voids such as images and line breaks.
  struct Item {
    std::string text;
    std::optional<TextRange> void_range;
    bool is_break = false;  // the void ends a sentence
  };
  // The bytes around a word of a span, and around a void of it.
  struct SpanStyle {
    std::string open_text;
    std::string close_text;
    std::string open_void;
    std::string close_void;
    bool operator==(const SpanStyle&) const = default;
  };

  // The tokens of the present run.
  void Text(std::string_view text, TextRange range);
  void Start(TextRange tag);
  void End(TextRange tag);
  void Void(TextRange range, bool is_break = false);
  // A void if the text is blank. Neighbours are one kept text.
  void Kept(TextRange range, std::string text);
  void Span(TextRange range, SpanStyle style, std::vector<Item> items);

  // Ends the present run.
  void EndRun();
  // A run inside a void of the present one begins, and ends.
  void Enter();
  void Leave();
  // Leave without a run: its text is not translated.
  void Drop();

  // Makes `target` the place of the translation of the run that ends next, instead of the run's own;
  // `before` and `after` are written around it.
  void WriteNextAt(TextRange target, std::string before, std::string after);

  // Writes `bytes` over `range` if any run of the file is translated; EditWithNext, if the run that
  // ends next is. REQUIRES: `range` is in no run.
  void Edit(TextRange range, std::string bytes);
  void EditWithNext(TextRange range, std::string bytes);

  // Whether white space in texts is kept. Otherwise line ends and tabs become single spaces.
  void set_keeps_space(bool keeps) { keeps_space_ = keeps; }

  // Leaves out runs without markup whose text is one of these. Borrows the set until TakeTexts.
  void set_kept(const std::set<std::string>* kept) { kept_ = kept; }

  // Returns the texts in the file's order. Call it once, after the last run.
  std::vector<DocumentText> TakeTexts();

  // Returns the file with translations[i] for text i, by the rules of Document::Write. `texts` are
  // those of TakeTexts.
  absl::StatusOr<std::string> Write(std::span<const DocumentText> texts,
                                    Translations translations) const;

 private:
  struct Token {
    enum class Kind { kText, kStart, kEnd, kVoid, kKept, kSpan };
    Kind kind = Kind::kText;
    TextRange range;
    std::string text;
    bool is_break = false;
    SpanStyle style;          // kSpan
    std::vector<Item> items;  // kSpan
    int64_t pair = -1;        // kStart, kEnd: the index of the other one
  };
  struct Piece {      // an element or a void of a fragment, by its number
    TextRange open;   // of an element; of a void all of it
    TextRange close;  // of an element
    SpanStyle style;  // of a span, and of a void inside one
    bool is_span = false;
  };
  struct Run {
    TextRange range;   // of the source
    TextRange target;  // where the translation is written
    std::string before;
    std::string after;
    bool has_spans = false;
    SpanStyle base;  // of words outside all spans' elements
    std::vector<Piece> pieces;
    DocumentText text;
    // The index of the text in TakeTexts. A run with `after` alone is an edit: it is written if the
    // text is translated, or with -1 if any is.
    int64_t index = -1;
    bool is_edit = false;
  };
  class RunWriter;

  void AddRun(std::vector<Token> tokens);
  void AddTrimmed(std::span<Token> tokens);
  std::string Normalized(std::string_view text) const;
  // Appends the bytes of the file in `range` with the translations of the runs in it. A void may begin
  // where its run does, so only runs_[from] and later ones count.
  absl::Status Render(TextRange range, size_t from, std::span<const DocumentText> texts,
                      Translations translations, std::string& out) const;

  std::string xml_;
  bool keeps_space_ = false;
  const std::set<std::string>* kept_ = nullptr;
  std::vector<std::vector<Token>> open_ = {{}};  // the runs that are open, outermost first
  std::unique_ptr<Run> next_;                    // WriteNextAt
  std::unique_ptr<Run> next_edit_;               // EditWithNext
  std::vector<Run> runs_;                        // after TakeTexts: in order of target.begin
};

}  // namespace dragoman::engine
