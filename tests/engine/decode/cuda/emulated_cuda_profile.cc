#include "tests/engine/decode/cuda/emulated_names.h"
// First, for the new names are for this file alone.
#include "engine/profile/cuda_profile.cc"  // NOLINT(bugprone-suspicious-include)
