#include "engine/api/limits.h"

#include <unicode/uchar.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/utf8.h"

namespace dragoman {

std::optional<std::string> ProblemOfTerm(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.size() > kMaxTermBytes) {
    return absl::StrCat("has ", text.size(), " bytes, expected at most ", kMaxTermBytes);
  }
  if (FirstInvalidUtf8(text)) return "is not UTF-8";
  for (size_t at = 0; at < text.size();) {
    const char32_t c = NextCodePoint(text, at);
    const bool is_line_end = c == 0x2028 || c == 0x2029;
    if (u_charType(static_cast<UChar32>(c)) == U_CONTROL_CHAR || is_line_end) {
      return absl::StrFormat("has a control character (U+%04X)", static_cast<uint32_t>(c));
    }
  }
  return std::nullopt;
}

}  // namespace dragoman
