// Counts calls of operator new, for tests of code that must not allocate.
#pragma once

#include <cstdint>

namespace dragoman::testing {

// Returns the number of allocations of this thread so far.
int64_t Allocations();

}  // namespace dragoman::testing
