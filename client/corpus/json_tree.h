// Parses a JSON text into a tree that knows the position of every value in the text.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::client {

struct JsonNode {
  enum class Kind { kObject, kArray, kString, kOther };
  Kind kind = Kind::kOther;
  // The bytes [begin, end) of the text. `begin` is set for strings alone.
  size_t begin = 0;
  size_t end = 0;
  std::string text;                                       // the decoded value of a string
  std::vector<std::pair<std::string, JsonNode>> members;  // of an object; an array's have no names

  // Returns the first member of this name, or nullptr.
  const JsonNode* Find(std::string_view name) const;
};

// Objects and arrays may be nested this deeply.
inline constexpr size_t kMaxJsonDepth = 256;

// Returns INVALID_ARGUMENT with the byte at which the text stops being JSON, or if it is nested too
// deeply.
absl::StatusOr<JsonNode> ParseJsonTree(std::string_view text);

}  // namespace dragoman::client
