// Formats values for error messages. Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::server {

// Returns a value in quotes, cut after 64 bytes, with '?' for everything except printable ASCII.
// Not for text to translate. Printable returns the same without the quotes.
std::string Quoted(std::string_view value);
std::string Printable(std::string_view value);

// Returns the system's message for `error`, a value of errno. Thread-safe, unlike std::strerror.
std::string ErrorText(int error);

}  // namespace dragoman::server
