#include "engine/text/most_pieces.h"

#include <unicode/uchar.h>

#include "engine/base/utf8.h"

namespace dragoman {
namespace {

// Whether the character may end a sentence by the rules of UAX #29 and ICU's for Greek, whose
// question mark looks like a semicolon.
bool MayEndSentence(char32_t c) {
  if (c < 0x80) return c == '.' || c == '!' || c == '?' || c == ';' || (c >= 0x0A && c <= 0x0D);
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

int64_t MostPieces(std::string_view text, bool html) {
  int64_t pieces = 0;
  bool may_begin = true;
  bool tags = true;  // until none ends any more
  for (size_t at = 0; at < text.size();) {
    const char32_t c = NextCodePoint(text, at);
    if (html && c == '<') {
      const size_t end = tags ? text.find('>', at) : text.npos;
      tags = end != text.npos;
      if (tags) at = end + 1;
      may_begin = true;
    } else if (MayEndSentence(c)) {
      may_begin = true;
    } else if (may_begin && u_isalnum(static_cast<UChar32>(c))) {
      ++pieces;
      may_begin = false;
    }
  }
  return pieces;
}

}  // namespace dragoman
