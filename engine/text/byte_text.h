// Bytes of byte pieces as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/text/text_range.h"

namespace dragoman {

// What is no UTF-8 becomes U+FFFD, byte by byte. ranges[i] is that of the piece of byte i; the last
// piece of a character has all of it.
void AppendByteText(std::string_view bytes, std::string& text, std::span<TextRange> ranges);

}  // namespace dragoman
