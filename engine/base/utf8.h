// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
//
// Thread-safety: pure functions. Positions and sizes are bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::engine {

// The position of the first byte that does not belong to a valid sequence (for a sequence that is
// cut off or wrong in its middle: of its lead byte). Nothing when all of `text` is valid.
std::optional<int64_t> FirstInvalidUtf8(std::string_view text);

// REQUIRES: `text` is valid UTF-8.
int64_t CountCodePoints(std::string_view text);

// The code point that starts at byte `at`, which moves past it. U+FFFD, and one byte on, where no
// valid sequence starts. REQUIRES: at < text.size().
char32_t NextCodePoint(std::string_view text, size_t& at);

// REQUIRES: `code_point` is not a surrogate and at most U+10FFFF.
void AppendUtf8(char32_t code_point, std::string& text);

// How many bytes at the end of `text` are the beginning of a sequence that more bytes could still
// make valid: 0 to 3.
int IncompleteUtf8Tail(std::string_view text);

// Whether Python's str.strip() takes the code point for white space: Unicode White_Space and
// U+001C..U+001F.
bool IsWhiteSpace(char32_t code_point);

// `text` without white space at its ends.
std::string_view StripWhiteSpace(std::string_view text);

}  // namespace dragoman::engine
