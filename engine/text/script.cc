#include "engine/text/script.h"

#include <unicode/uscript.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

#include "engine/base/utf8.h"

namespace dragoman::engine {
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

bool TouchesUnspacedScript(std::string_view text, size_t at) {
  return IsUnspacedScript(CodePointBefore(text, at)) || IsUnspacedScript(CodePointAt(text, at));
}

bool LanguageUsesSpaces(std::string_view language) {
  std::string primary(language.substr(0, language.find_first_of("-_")));
  for (char& c : primary) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(std::begin(kUnspacedLanguages), std::end(kUnspacedLanguages), primary) ==
         std::end(kUnspacedLanguages);
}

}  // namespace dragoman::engine
