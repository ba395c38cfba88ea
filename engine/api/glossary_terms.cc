#include "engine/api/glossary_terms.h"

#include <unicode/uchar.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {

std::optional<TermProblem> ProblemOfTerm(std::string_view text) {
  if (text.empty()) return TermProblem{"no text", "text", "is empty"};
  if (text.size() > kMaxTermBytes) {
    return TermProblem{
        absl::StrCat(text.size(), " bytes"), absl::StrCat("at most ", kMaxTermBytes),
        absl::StrCat("has ", text.size(), " bytes, expected at most ", kMaxTermBytes)};
  }
  if (FirstInvalidUtf8(text)) return TermProblem{"other bytes", "UTF-8", "is not UTF-8"};
  for (size_t at = 0; at < text.size();) {
    const char32_t c = NextCodePoint(text, at);
    const bool is_line_end = c == 0x2028 || c == 0x2029;
    if (u_charType(static_cast<UChar32>(c)) == U_CONTROL_CHAR || is_line_end) {
      const std::string found =
          absl::StrFormat("a control character (U+%04X)", static_cast<uint32_t>(c));
      return TermProblem{found, "none", absl::StrCat("has ", found)};
    }
  }
  return std::nullopt;
}

}  // namespace dragoman::engine
