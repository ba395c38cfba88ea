// Whether bytes are UTF-8 (RFC 3629). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dragoman::client {

// Offset of the first byte that begins no valid character; unset if all do.
std::optional<size_t> FirstInvalidUtf8(std::string_view text);

// The code points of `text`, which is UTF-8: the characters that the server counts.
int64_t CountCodePoints(std::string_view text);

// How many columns of a terminal `text`, which is UTF-8, takes: wide East Asian characters and
// emoji count 2, combining marks 0. An approximation, for display only.
int DisplayWidth(std::string_view text);

// The longest end of `text` that takes at most `columns`.
std::string_view TailForDisplay(std::string_view text, int columns);

}  // namespace dragoman::client
