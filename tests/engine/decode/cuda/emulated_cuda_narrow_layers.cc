#include "tests/engine/decode/cuda/emulated_names.h"
// First, for the new names are for this file alone.
#include "engine/decode/cuda/cuda_narrow_layers.cc"  // NOLINT(bugprone-suspicious-include)
