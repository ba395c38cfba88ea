// Bytes of byte pieces as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/text/text_range.h"

namespace dragoman {

// Appends the bytes as text; each byte that is not UTF-8 becomes U+FFFD. ranges[i] is the range of
// the piece of byte i; the last piece of a character has all of it.
void AppendByteText(std::string_view bytes, std::string& text, std::span<TextRange> ranges);

}  // namespace dragoman
