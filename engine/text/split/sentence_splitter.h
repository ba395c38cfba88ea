// Cuts text into the pieces that are translated one by one, and puts translations together again.
//
// A piece is a byte range of the text. Everything outside the pieces (white space before, between
// and after them, line breaks, blank lines) is passed through byte for byte, so structure comes
// back as it was; so is a sentence without any letter ("🎉", "* * *", "$5.00", "12.05.2024"). A piece
// is never empty and neither begins nor ends with white space; white space inside it goes to the
// model.
//
// A line ends at a line break, at a tab, and at "<br>", "<br/>" or "<br />" in any case.
//
// Thread-safety: all const methods may run in several threads at once.
#pragma once

#include <unicode/uversion.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/text_range.h"

U_NAMESPACE_BEGIN
class BreakIterator;
U_NAMESPACE_END

namespace dragoman::engine {

enum class Segmentation {
  kNone,       // one piece, line breaks inside it included
  kSentences,  // a piece per sentence; the end of a line always ends one
  kLines,      // a piece per line
};

class SentenceSplitter {
 public:
  // The language whose rules a source language (BCP-47: "de", "pt-BR") follows: "pt". An unknown or
  // empty one is "", the root locale. There are some hundred, whatever is asked for, and clients
  // make up tags of language, script and region without end.
  static std::string LanguageOf(std::string_view source_language);

  // With the rules of LanguageOf(source_language). INTERNAL when ICU has no data.
  static absl::StatusOr<std::unique_ptr<SentenceSplitter>> Create(std::string_view source_language);
  ~SentenceSplitter();

  // The pieces in order; none for text without any letter. Time is linear in the size of
  // `text`. REQUIRES: `text` is valid UTF-8.
  std::vector<TextRange> Split(std::string_view text, Segmentation mode) const;

 private:
  struct Rules;
  explicit SentenceSplitter(std::unique_ptr<Rules> rules);
  void SplitLine(std::string_view text, TextRange range, icu::BreakIterator& iterator,
                 std::vector<TextRange>& pieces) const;
  bool IsSentenceEnd(std::string_view line, size_t at) const;

  std::unique_ptr<Rules> rules_;
};

struct JoinedText {
  std::string text;
  std::vector<TextRange> ranges;  // where each translation lies in `text`
};

// The text with translations[i] in the place of pieces[i]. Where two pieces touch, the script of
// the text at the cut is one written without spaces and `target_uses_spaces`, one space is put
// between the translations. REQUIRES: as many translations as pieces; pieces in order, no overlap.
JoinedText JoinTranslations(std::string_view text, std::span<const TextRange> pieces,
                            std::span<const std::string> translations, bool target_uses_spaces);

// An upper bound, quickly computed, of the pieces that SentenceSplitter makes of `text` in any language
// and mode, before those that are too long are cut, so that room can be reserved before it is split:
// counts the letters that come first or after a character that may end a sentence. Too many where such
// a character ends none, as in "e.g". `html`: every tag may end one, too. Takes one look at
// each code point. REQUIRES: valid UTF-8.
int64_t MostPieces(std::string_view text, bool html);

}  // namespace dragoman::engine
