#include "engine/text/split/sentence_splitter.h"

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/uloc.h>
#include <unicode/utext.h>

#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "engine/text/script.h"

namespace dragoman::engine {
namespace {

bool IsLineBreak(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

// Returns the size of the "<br>", "<BR/>" or "<br />" at the beginning of `text`, or 0.
size_t HtmlBreakSize(std::string_view text) {
  if (text.size() < 4 || (text[1] | 0x20) != 'b' || (text[2] | 0x20) != 'r') return 0;
  size_t at = 3;
  while (at < text.size() && text[at] == ' ') ++at;
  if (at < text.size() && text[at] == '/') ++at;
  return at < text.size() && text[at] == '>' ? at + 1 : 0;
}

// Returns the size of the line break at `at`, or 0. Line breaks are those of Unicode, a tab (which
// separates the cells of a table), and "<br>" in any spelling (which is in subtitles and in texts
// of web pages).
size_t LineBreakSize(std::string_view text, size_t at) {
  if (text[at] == '<') return HtmlBreakSize(text.substr(at));
  size_t end = at;
  return IsLineBreak(NextCodePoint(text, end)) ? end - at : 0;
}

// Reports whether `text` has a letter outside "<br>".
bool HasWords(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '<') at += HtmlBreakSize(text.substr(at));
    if (at < text.size() && u_isalpha(static_cast<UChar32>(NextCodePoint(text, at)))) return true;
  }
  return false;
}

// Adds text[begin, end) without the white space at its ends, if it has a letter.
void AddPiece(std::string_view text, size_t begin, size_t end, std::vector<TextRange>& pieces) {
  const std::string_view piece = StripWhiteSpace(text.substr(begin, end - begin));
  if (!HasWords(piece)) return;
  pieces.push_back(TextRange::Of(piece, text));
}

// Reports whether the character may end a sentence, by UAX 29 or by ICU's rules for Greek. The
// semicolon is included because the question mark of Greek looks like it.
bool MayEndSentence(char32_t c) {
  if (c < 0x80) return c == '.' || c == '!' || c == '?' || c == ';' || (c >= 0x09 && c <= 0x0D);
  switch (u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_SENTENCE_BREAK)) {
    case U_SB_ATERM:
    case U_SB_STERM:
    case U_SB_SEP:
      return true;
    default:
      return c == 0x85 || c == 0x37E;
  }
}

}  // namespace

std::string SentenceSplitter::LanguageOf(std::string_view source_language) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Locale locale = icu::Locale::forLanguageTag(std::string(source_language), status);
  if (U_FAILURE(status) || locale.isBogus()) return "";
  static const std::unordered_set<std::string_view> known = [] {
    std::unordered_set<std::string_view> languages;
    for (const char* const* language = uloc_getISOLanguages(); *language != nullptr; ++language) {
      languages.insert(*language);
    }
    return languages;
  }();
  return known.contains(locale.getLanguage()) ? locale.getLanguage() : "";
}

absl::StatusOr<std::unique_ptr<SentenceSplitter>> SentenceSplitter::Create(
    std::string_view source_language) {
  const std::string language = LanguageOf(source_language);
  const icu::Locale locale =
      language.empty() ? icu::Locale::getRoot() : icu::Locale(language.c_str());
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> sentences(
      icu::BreakIterator::createSentenceInstance(locale, status));
  if (U_FAILURE(status) || sentences == nullptr) {
    return absl::InternalError(absl::StrCat("ICU has no sentence rules for '",
                                            std::string(source_language),
                                            "': ", u_errorName(status)));
  }
  return std::unique_ptr<SentenceSplitter>(
      new SentenceSplitter(std::move(sentences), locale.getLanguage()));
}

SentenceSplitter::SentenceSplitter(std::unique_ptr<icu::BreakIterator> sentences,
                                   std::string_view language)
    : sentences_(std::move(sentences)), full_stops_(language) {}

SentenceSplitter::~SentenceSplitter() = default;

void SentenceSplitter::SplitLine(std::string_view text, TextRange range,
                                 icu::BreakIterator& iterator,
                                 std::vector<TextRange>& pieces) const {
  const std::string_view line = range.In(text);
  const auto offset = static_cast<size_t>(range.begin);
  UErrorCode status = U_ZERO_ERROR;
  UText utext = UTEXT_INITIALIZER;
  utext_openUTF8(&utext, line.data(), static_cast<int64_t>(line.size()), &status);
  iterator.setText(&utext, status);
  if (U_FAILURE(status)) {  // only if memory runs out; then the line is one piece
    utext_close(&utext);
    AddPiece(text, offset, offset + line.size(), pieces);
    return;
  }
  size_t begin = 0;
  iterator.first();
  for (int32_t next = iterator.next(); next != icu::BreakIterator::DONE; next = iterator.next()) {
    const auto at = static_cast<size_t>(next);
    if (at < line.size() && !IsSentenceEnd(line, at)) continue;
    AddPiece(text, offset + begin, offset + at, pieces);
    begin = at;
  }
  utext_close(&utext);
}

bool SentenceSplitter::IsSentenceEnd(std::string_view line, size_t at) const {
  if (IsWhiteSpace(CodePointBefore(line, at))) return !full_stops_.Continues(line, at);
  // If no space follows, a sentence ends only in scripts without spaces. In other scripts, the
  // punctuation is part of an address or a name ("?q=1", "Yahoo!Mail").
  return TouchesUnspacedScript(line, at);
}

std::vector<TextRange> SentenceSplitter::Split(std::string_view text, Segmentation mode) const {
  std::vector<TextRange> pieces;
  if (mode == Segmentation::kNone) {
    AddPiece(text, 0, text.size(), pieces);
    return pieces;
  }
  std::unique_ptr<icu::BreakIterator> iterator;
  if (mode == Segmentation::kSentences) iterator.reset(sentences_->clone());
  std::vector<TextRange> lines;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t size = LineBreakSize(text, at);
    if (size == 0) {
      NextCodePoint(text, at);
      continue;
    }
    AddPiece(text, begin, at, lines);
    begin = at += size;
  }
  AddPiece(text, begin, text.size(), lines);
  if (iterator == nullptr) return lines;
  for (const TextRange& line : lines) SplitLine(text, line, *iterator, pieces);
  return pieces;
}

JoinedText JoinTranslations(std::string_view text, std::span<const TextRange> pieces,
                            std::span<const std::string> translations, bool target_uses_spaces) {
  JoinedText joined;
  joined.ranges.reserve(pieces.size());
  int64_t at = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const TextRange& piece = pieces[i];
    joined.text += TextRange{at, piece.begin}.In(text);
    const bool touches = i > 0 && piece.begin == at;
    if (touches && target_uses_spaces && !translations[i].empty() && !joined.text.empty() &&
        joined.text.back() != ' ' && TouchesUnspacedScript(text, static_cast<size_t>(at))) {
      joined.text += ' ';
    }
    const auto begin = static_cast<int64_t>(joined.text.size());
    joined.text += translations[i];
    joined.ranges.push_back({begin, static_cast<int64_t>(joined.text.size())});
    at = piece.end;
  }
  joined.text += text.substr(static_cast<size_t>(at));
  return joined;
}

int64_t MostPieces(std::string_view text, TextFormat format) {
  int64_t pieces = 0;
  bool may_begin = true;
  bool tags = true;  // false after a '<' without a later '>'
  for (size_t at = 0; at < text.size();) {
    const char32_t c = NextCodePoint(text, at);
    if (format == TextFormat::kHtml && c == '<') {
      const size_t end = tags ? text.find('>', at) : text.npos;
      tags = end != text.npos;
      if (tags) at = end + 1;
      may_begin = true;
    } else if (format == TextFormat::kMarkdown &&
               std::u32string_view(U"<&|\\").find(c) != std::u32string_view::npos) {
      may_begin = true;
    } else if (c == '<') {
      const size_t size = HtmlBreakSize(text.substr(at - 1));
      at += size > 0 ? size - 1 : 0;
      may_begin = may_begin || size > 0;
    } else if (MayEndSentence(c)) {
      may_begin = true;
    } else if (may_begin && u_isalpha(static_cast<UChar32>(c))) {
      ++pieces;
      may_begin = false;
    }
  }
  return pieces;
}

}  // namespace dragoman::engine
