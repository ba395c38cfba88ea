#include <unicode/uscript.h>

#include <algorithm>
#include <cctype>

#include "engine/base/utf8.h"
#include "engine/text/script.h"
#include "engine/text/sentence_splitter.h"

namespace dragoman {
namespace {

// The primary subtags of languages without spaces between sentences, ISO 639-1 and 639-3.
constexpr std::string_view kUnspacedLanguages[] = {"zh",  "zho", "chi", "cmn", "yue", "wuu", "nan",
                                                   "hak", "gan", "hsn", "lzh", "ja",  "jpn", "th",
                                                   "tha", "lo",  "lao", "km",  "khm", "my",  "mya",
                                                   "bur", "bo",  "bod", "tib", "dz",  "dzo", "shn"};

}  // namespace

bool IsUnspacedScript(char32_t c) {
  if (c < 0x0E00) return false;
  // CJK symbols and punctuation; full-width forms.
  if ((c >= 0x3001 && c <= 0x303F) || (c >= 0xFF01 && c <= 0xFF65)) return true;
  UErrorCode status = U_ZERO_ERROR;
  switch (uscript_getScript(static_cast<UChar32>(c), &status)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_BOPOMOFO:
    case USCRIPT_YI:
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
    case USCRIPT_TIBETAN:
      return true;
    default:
      return false;
  }
}

bool LanguageUsesSpaces(std::string_view language) {
  std::string primary(language.substr(0, language.find_first_of("-_")));
  for (char& c : primary) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(std::begin(kUnspacedLanguages), std::end(kUnspacedLanguages), primary) ==
         std::end(kUnspacedLanguages);
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
        joined.text.back() != ' ') {
      auto before = static_cast<size_t>(at) - 1;
      while (before > 0 && (static_cast<unsigned char>(text[before]) & 0xC0) == 0x80) --before;
      auto after = static_cast<size_t>(at);
      if (IsUnspacedScript(NextCodePoint(text, before)) ||
          IsUnspacedScript(NextCodePoint(text, after))) {
        joined.text += ' ';
      }
    }
    const auto begin = static_cast<int64_t>(joined.text.size());
    joined.text += translations[i];
    joined.ranges.push_back({begin, static_cast<int64_t>(joined.text.size())});
    at = piece.end;
  }
  joined.text += text.substr(static_cast<size_t>(at));
  return joined;
}

}  // namespace dragoman
