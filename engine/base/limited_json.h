// JSON from outside, parsed under limits: whatever its bytes are, the value that comes back is
// shallow and of a bounded size, so that it may be copied, walked and destroyed without a thought.
//
// Nothing here throws. Thread-safety: a pure function.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/status/statusor.h"

namespace dragoman::engine {

struct JsonLimits {
  size_t max_bytes = 1 << 20;
  int max_depth = 16;
  size_t max_values = 1 << 17;  // scalars, arrays and objects together
  size_t max_fields = 1 << 17;  // of one object
  // The text is a secret: no message quotes any of it.
  bool is_secret = false;
};

// INVALID_ARGUMENT naming `file` for text that is not JSON, breaks a limit, or has a key twice in one
// object.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text, std::string_view file,
                                         const JsonLimits& limits);

}  // namespace dragoman::engine
