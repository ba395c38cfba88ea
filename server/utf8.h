// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman {

// Bytes of the longest valid prefix; text.size() if all of it is valid.
size_t ValidUtf8Prefix(std::string_view text);

// A short value from outside for an error message: in quotes, with anything but printable ASCII as
// '?', cut after 64 bytes. Never used on text to translate.
std::string Quoted(std::string_view value);

}  // namespace dragoman
