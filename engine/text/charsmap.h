// SentencePiece's "precompiled charsmap": replacement rules (mostly NFKC) compiled into a double array.
//
// Thread-safety: const after Parse. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman {

class Charsmap {
 public:
  struct Rule {
    std::string_view output;
    size_t consumed = 0;
  };

  Charsmap() = default;  // no rules

  // INVALID_ARGUMENT naming `name` for bytes that are not a charsmap. None: no rules.
  static absl::StatusOr<Charsmap> Parse(std::string_view bytes, std::string_view name);

  // The longest rule for a beginning of `input`, as SentencePiece takes it ...
  std::optional<Rule> Longest(std::string_view input) const { return Find(input, false); }
  // ... and the shortest, as the tokenizers library does.
  std::optional<Rule> Shortest(std::string_view input) const { return Find(input, true); }

 private:
  std::optional<Rule> Find(std::string_view input, bool first) const;

  std::vector<uint32_t> units_;  // the double array (darts-clone)
  std::string outputs_;          // NUL-terminated strings, indexed by the array's values
};

}  // namespace dragoman
