// Checks, reads and writes strict UTF-8 (RFC 3629), which has no overlong forms, no surrogates and
// no code point above U+10FFFF.
//
// Thread-safety: pure functions. Positions and sizes are bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::engine {

// Returns the position of the first invalid byte. For an incomplete or wrong sequence, this is the
// position of its lead byte. Returns nullopt if `text` is valid.
std::optional<int64_t> FirstInvalidUtf8(std::string_view text);

// REQUIRES: `text` is valid UTF-8.
int64_t CountCodePoints(std::string_view text);

// Is NextCodePoint for a byte that is not ASCII.
char32_t NextBeyondAscii(std::string_view text, size_t& at);

// Returns the code point that starts at byte `at`, and moves `at` past it. If no valid sequence
// starts there, returns U+FFFD and moves `at` by one byte. REQUIRES: at < text.size().
inline char32_t NextCodePoint(std::string_view text, size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte >= 0x80) return NextBeyondAscii(text, at);
  ++at;
  return byte;
}

// Returns the code point that starts at byte `at`, as NextCodePoint does.
inline char32_t CodePointAt(std::string_view text, size_t at) { return NextCodePoint(text, at); }

// Returns the position where the character that contains byte `at` begins. Returns `at` if it is
// the end of the text. REQUIRES: at <= text.size().
size_t CharacterBegin(std::string_view text, size_t at);

// Returns the code point that ends at byte `at`, and moves `at` to its beginning. REQUIRES: at > 0.
char32_t PreviousCodePoint(std::string_view text, size_t& at);
inline char32_t CodePointBefore(std::string_view text, size_t at) {
  return PreviousCodePoint(text, at);
}

// REQUIRES: `code_point` is not a surrogate and at most U+10FFFF.
void AppendUtf8(char32_t code_point, std::string& text);

// If `text` ends inside a sequence that is valid so far, returns the number of its bytes, 1 to 3.
// Otherwise returns 0.
int IncompleteUtf8Tail(std::string_view text);

// Reports whether Python's str.strip() strips `code_point`: White_Space and U+001C..U+001F.
bool IsWhiteSpace(char32_t code_point);

// Returns `text` without white space at its ends.
std::string_view StripWhiteSpace(std::string_view text);

// Returns the parts of `text` between white space, in order. They are not empty.
std::vector<std::string_view> SplitWhiteSpace(std::string_view text);

}  // namespace dragoman::engine
