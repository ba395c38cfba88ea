#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The sequence that starts at a given byte. `size` is 0 if no valid sequence starts there.
// `missing` is true if the text ends inside a sequence that is valid so far.
struct Sequence {
  int size = 0;
  char32_t code_point = kReplacement;
  bool missing = false;
};

Sequence ReadSequence(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {1, lead, false};
  // The bounds of the second byte exclude overlong forms, surrogates and values above U+10FFFF.
  int size = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  char32_t value = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    size = 2;
    value = lead & 0x1F;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    size = 3;
    value = lead & 0x0F;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    size = 4;
    value = lead & 0x07;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {};
  }
  for (int i = 1; i < size; ++i) {
    if (at + i >= text.size()) return {0, kReplacement, true};
    const unsigned char next = byte(at + i);
    if (next < low || next > high) return {};
    low = 0x80;
    high = 0xBF;
    value = (value << 6) | (next & 0x3F);
  }
  return {size, value, false};
}

}  // namespace

std::optional<int64_t> FirstInvalidUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const int size = ReadSequence(text, at).size;
    if (size == 0) return static_cast<int64_t>(at);
    at += size;
  }
  return std::nullopt;
}

int64_t CountCodePoints(std::string_view text) {
  int64_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

char32_t NextBeyondAscii(std::string_view text, size_t& at) {
  const Sequence sequence = ReadSequence(text, at);
  at += sequence.size == 0 ? 1 : sequence.size;
  return sequence.code_point;
}

size_t CharacterBegin(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

char32_t PreviousCodePoint(std::string_view text, size_t& at) {
  at = CharacterBegin(text, at - 1);
  return CodePointAt(text, at);
}

void AppendUtf8(char32_t c, std::string& text) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  const auto add_low = [&](int shift) { add(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      add(0xE0 | (c >> 12));
    } else {
      add(0xF0 | (c >> 18));
      add_low(12);
    }
    add_low(6);
  }
  add_low(0);
}

int IncompleteUtf8Tail(std::string_view text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    if (ReadSequence(text, text.size() - back).missing) return static_cast<int>(back);
  }
  return 0;
}

bool IsWhiteSpace(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

std::string_view StripWhiteSpace(std::string_view text) {
  size_t begin = 0;
  size_t at = 0;
  while (at < text.size() && IsWhiteSpace(NextCodePoint(text, at))) begin = at;
  text.remove_prefix(begin);
  while (!text.empty()) {
    const size_t last = CharacterBegin(text, text.size() - 1);
    size_t after = last;
    if (!IsWhiteSpace(NextCodePoint(text, after)) || after != text.size()) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

std::vector<std::string_view> SplitWhiteSpace(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    if (!IsWhiteSpace(NextCodePoint(text, at))) continue;
    if (here > begin) parts.push_back(text.substr(begin, here - begin));
    begin = at;
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace dragoman::engine
