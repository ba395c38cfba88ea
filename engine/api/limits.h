// The published limits of a request: what the server refuses, and says that it refuses. Those of a
// search (beam, wanted ids, constraint tokens, automaton nodes) are kernels/search/limits.h.
//
// Thread-safety: pure functions. Sizes are bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/search/limits.h"

namespace dragoman {

// Of the source and of the target of any term; of a phrase.
inline constexpr size_t kMaxTermBytes = 1024;

// What is wrong with a source or target, white space at its ends taken off: "is empty", "has 2000
// bytes, expected at most 1024", "has a control character (U+000A)", "is not UTF-8".
std::optional<std::string> ProblemOfTerm(std::string_view text);

}  // namespace dragoman
