// Joins the pieces of a vocabulary into text. Handles byte pieces, which stand for one byte each
// ("<0xE2>").
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/utf8.h"
#include "engine/text/subword_model.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// Appends `bytes` as text. Each byte that is not part of valid UTF-8 becomes U+FFFD. Sets ranges[i]
// to the range of byte i in `text`. The last byte of a character has the range of the character.
// The ranges of its other bytes are empty.
inline void AppendByteText(std::string_view bytes, std::string& text, std::span<TextRange> ranges) {
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

// Joins `pieces` into text. byte_of(piece) returns the byte that a piece stands for, or -1.
// write(piece, text) appends the text of a piece that stands for no byte. Consecutive byte pieces
// are decoded together. With `is_prefix`, leaves out byte pieces at the end that are the beginning
// of a character, because later pieces may complete it.
template <class ByteOf, class Write>
PieceText JoinPieces(std::span<const std::string_view> pieces, bool is_prefix, ByteOf byte_of,
                     Write write) {
  PieceText joined;
  std::string& text = joined.text;
  joined.ranges.resize(pieces.size());
  std::string bytes;  // the bytes of byte pieces that are not in `text` yet
  const auto flush_bytes = [&](size_t end) {
    AppendByteText(bytes, text, std::span(joined.ranges).subspan(end - bytes.size(), bytes.size()));
    bytes.clear();
  };
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (const int byte = byte_of(pieces[i]); byte >= 0) {
      bytes += static_cast<char>(byte);
      continue;
    }
    flush_bytes(i);
    joined.ranges[i].begin = static_cast<int64_t>(text.size());
    write(pieces[i], text);
    joined.ranges[i].end = static_cast<int64_t>(text.size());
  }
  size_t end = pieces.size();
  if (is_prefix) {
    const auto open = static_cast<size_t>(IncompleteUtf8Tail(bytes));
    bytes.resize(bytes.size() - open);
    end -= open;
  }
  flush_bytes(end);
  const auto size = static_cast<int64_t>(text.size());
  for (size_t i = end; i < pieces.size(); ++i) joined.ranges[i] = {size, size};
  return joined;
}

}  // namespace dragoman::engine
