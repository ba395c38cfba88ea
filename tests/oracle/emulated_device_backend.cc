// Before the new names: cases are called as operations are.
#include "tests/oracle/production_backend.h"
// Then these, which are for this file alone.
#include "tests/engine/decode/cuda/emulated_names.h"
#include "tests/gpu/device_backend.cc"  // NOLINT(bugprone-suspicious-include)
