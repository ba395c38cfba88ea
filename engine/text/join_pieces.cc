#include "engine/text/join_pieces.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/utf8.h"

namespace dragoman::engine {

void AppendByteText(std::string_view bytes, std::string& text, std::span<TextRange> ranges) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t begin = at;
    const bool wrong = NextCodePoint(bytes, at) == 0xFFFD && at - begin == 1;
    const auto from = static_cast<int64_t>(text.size());
    text += wrong ? std::string_view("\xEF\xBF\xBD") : bytes.substr(begin, at - begin);
    std::fill(ranges.begin() + static_cast<ptrdiff_t>(begin),
              ranges.begin() + static_cast<ptrdiff_t>(at), TextRange{from, from});
    ranges[at - 1].end = static_cast<int64_t>(text.size());
  }
}

}  // namespace dragoman::engine
