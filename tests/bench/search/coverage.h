// Whether an output contains required phrases, told without the constraint state of the search.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::bench {

// Whether every phrase can be given a place of its own in `tokens`, no token belonging to two.
bool ContainsAll(const std::vector<int32_t>& tokens,
                 const std::vector<std::vector<int32_t>>& phrases);

}  // namespace dragoman::bench
