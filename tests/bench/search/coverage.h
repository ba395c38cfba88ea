// Checks for required phrases in an output, independent of the search's constraint state.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::bench {

// Reports whether `tokens` contains all phrases without overlap.
bool ContainsAll(const std::vector<int32_t>& tokens,
                 const std::vector<std::vector<int32_t>>& phrases);

}  // namespace dragoman::bench
