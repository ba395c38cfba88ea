// Counts the calls of operator new, for tests that promise to allocate nothing.
#pragma once

#include <cstdint>

namespace dragoman::testing {

// The number of allocations of this thread since it began.
int64_t Allocations();

}  // namespace dragoman::testing
