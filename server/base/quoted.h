// Text for error messages. Pure functions, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::server {

// A short value in quotes, with anything but printable ASCII as '?', cut after 64 bytes. Never used
// on text to translate.
std::string Quoted(std::string_view value);

// Returns the system's message for `error`, a value of errno. Unlike std::strerror it is thread-safe.
std::string ErrorText(int error);

}  // namespace dragoman::server
