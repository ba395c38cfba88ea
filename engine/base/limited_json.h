// Parses untrusted JSON under limits. The limits on depth and size make it safe to copy, walk and
// destroy the result. Does not throw. A pure function.
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
  size_t max_fields = 1 << 17;  // in one object
  // The text is a secret. No message quotes it.
  bool is_secret = false;
};

// Returns INVALID_ARGUMENT for bad JSON, an exceeded limit, or a repeated key. `file` is the name
// of the text in these messages.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text, std::string_view file,
                                         const JsonLimits& limits);

}  // namespace dragoman::engine
