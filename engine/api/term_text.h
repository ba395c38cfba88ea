// Checks the text of a term or a phrase, in requests and in glossaries.
//
// Thread-safety: pure functions. Sizes are bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::engine {

// The size limit of a term's source, of a term's target, and of a phrase.
inline constexpr size_t kMaxTermBytes = 1024;

struct TermProblem {
  std::string found;
  std::string expected;
  // `found` and `expected` as a predicate of the text: "is empty", "has 2000 bytes, expected at
  // most 1024", "has a control character (U+000A)", "is not UTF-8".
  std::string predicate;
};

// Returns the error in a source, target or phrase; nullopt if there is none. The error does not
// quote the text. REQUIRES: the text has no white space at its ends.
std::optional<TermProblem> ProblemOfTerm(std::string_view text);

}  // namespace dragoman::engine
