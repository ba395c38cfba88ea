// Values from outside in error messages.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

// A short value in quotes, with anything but printable ASCII as '?', cut after 64 bytes. Never used
// on text to translate.
std::string Quoted(std::string_view value);

}  // namespace dragoman
