// The one form in which a setting is refused.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dragoman {

// INVALID_ARGUMENT: `where` (a file, "--") and `name`, what was found and what was expected.
inline absl::Status Refuse(std::string_view where, std::string_view name, const std::string& found,
                           const std::string& expected) {
  return absl::InvalidArgumentError(absl::StrCat(absl::string_view(where.data(), where.size()),
                                                 absl::string_view(name.data(), name.size()),
                                                 ": found ", found, ", expected ", expected));
}

}  // namespace dragoman
