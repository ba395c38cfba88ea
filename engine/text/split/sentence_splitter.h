// Cuts text into pieces that are translated one by one, and joins the translations.
//
// A piece is a byte range of the text. It is not empty and neither begins nor ends with white
// space. White space inside a piece goes to the model. Everything outside the pieces is copied byte
// for byte into the translation: white space, line breaks, and sentences without a letter ("🎉", "*
// * *", "$5.00", "12.05.2024"). This preserves the structure of the text.
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
#include "engine/api/text_format.h"
#include "engine/text/split/full_stop_rules.h"
#include "engine/text/text_range.h"

U_NAMESPACE_BEGIN
class BreakIterator;
U_NAMESPACE_END

namespace dragoman::engine {

enum class Segmentation {
  kNone,       // one piece, line breaks inside it included
  kSentences,  // a piece per sentence; the end of a line always ends the sentence
  kLines,      // a piece per line
};

class SentenceSplitter {
 public:
  // Returns the language whose rules apply to a source language (BCP-47): "pt" for "pt-BR". Returns
  // "" (ICU's root locale) for an unknown or empty language. The result is one of about a hundred
  // languages that ICU knows, so a cache of splitters stays small even if clients invent language
  // tags.
  static std::string LanguageOf(std::string_view source_language);

  // Uses the rules of LanguageOf(source_language). Returns INTERNAL if ICU has no data.
  static absl::StatusOr<std::unique_ptr<SentenceSplitter>> Create(std::string_view source_language);
  ~SentenceSplitter();

  // Returns the pieces in order; none if the text has no letter. Takes linear time. REQUIRES:
  // `text` is valid UTF-8.
  std::vector<TextRange> Split(std::string_view text, Segmentation mode) const;

 private:
  SentenceSplitter(std::unique_ptr<icu::BreakIterator> sentences, std::string_view language);
  void SplitLine(std::string_view text, TextRange range, icu::BreakIterator& iterator,
                 std::vector<TextRange>& pieces) const;
  bool IsSentenceEnd(std::string_view line, size_t at) const;

  std::unique_ptr<icu::BreakIterator> sentences_;  // has no text; cloned for each call
  FullStopRules full_stops_;
};

struct JoinedText {
  std::string text;
  std::vector<TextRange> ranges;  // ranges[i] is where translations[i] is in `text`
};

// Returns `text` with translations[i] in place of pieces[i]. Puts one space between two
// translations if the pieces touch, the text there is in a script without spaces, and
// `target_uses_spaces`. REQUIRES: as many translations as pieces; pieces in order, no overlap.
JoinedText JoinTranslations(std::string_view text, std::span<const TextRange> pieces,
                            std::span<const std::string> translations, bool target_uses_spaces);

// Returns an upper bound on the number of pieces that SentenceSplitter makes of `text`, in any
// language and mode. SplitTooLong (too_long.h) may cut pieces further; this is not counted. Use it
// to reserve room before you split the text. Counts the first letter of the text, and each letter
// that is the first after a character that may end a sentence, so an abbreviation ("e.g.") raises
// the count. In HTML, a tag counts as such a character; in Markdown, so do < & | and a backslash.
// Makes one pass. REQUIRES: `text` is valid UTF-8.
int64_t MostPieces(std::string_view text, TextFormat format);

}  // namespace dragoman::engine
