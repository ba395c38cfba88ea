// Functions for UTF-8 text (RFC 3629): validity, code points and display width. Thread-safety: pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dragoman::client {

// Returns the offset of the first invalid byte, or nullopt if `text` is valid.
std::optional<size_t> FirstInvalidUtf8(std::string_view text);

// Returns the number of code points, which the server counts as characters. REQUIRES: valid UTF-8.
int64_t CountCodePoints(std::string_view text);

// Returns the approximate number of terminal columns of `text`. Wide East Asian characters and
// emoji count 2, combining marks 0. REQUIRES: valid UTF-8.
int DisplayWidth(std::string_view text);

// Returns the longest suffix of `text` that takes at most `columns` terminal columns.
std::string_view TailForDisplay(std::string_view text, int columns);

}  // namespace dragoman::client
