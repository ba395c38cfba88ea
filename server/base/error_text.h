// The system's error numbers in messages.
#pragma once

#include <string>

namespace dragoman {

// Returns the system's message for `error`, a value of errno. Thread-safe, unlike std::strerror.
std::string ErrorText(int error);

}  // namespace dragoman
