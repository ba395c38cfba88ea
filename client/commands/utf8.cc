#include "client/commands/utf8.h"

#include <cstdint>

namespace dragoman::client {
namespace {

// Decodes the character at `text[at]`. Returns its length in bytes, or 0 if it is invalid.
size_t Decode(std::string_view text, size_t at, uint32_t* character) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint8_t lead = byte(0);
  size_t length = 0;
  uint32_t value = 0;
  if (lead < 0x80) {
    *character = lead;
    return 1;
  } else if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    value = lead & 0x1Fu;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    value = lead & 0x0Fu;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    value = lead & 0x07u;
  } else {
    return 0;
  }
  if (at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return 0;
  *character = value;
  return length;
}

int Width(uint32_t c) {
  if ((c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || c == 0xFE0F) return 0;
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                    (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                    (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::optional<size_t> FirstInvalidUtf8(std::string_view text) {
  uint32_t character = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t length = Decode(text, at, &character);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

int64_t CountCodePoints(std::string_view text) {
  int64_t count = 0;
  for (const char c : text) count += (static_cast<uint8_t>(c) & 0xC0u) != 0x80u;
  return count;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  uint32_t character = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t length = Decode(text, at, &character);
    width += length == 0 ? 1 : Width(character);
    at += length == 0 ? 1 : length;
  }
  return width;
}

std::string_view TailForDisplay(std::string_view text, int columns) {
  int excess = DisplayWidth(text) - columns;
  uint32_t character = 0;
  size_t at = 0;
  while (excess > 0 && at < text.size()) {
    const size_t length = Decode(text, at, &character);
    excess -= length == 0 ? 1 : Width(character);
    at += length == 0 ? 1 : length;
  }
  return text.substr(at);
}

}  // namespace dragoman::client
