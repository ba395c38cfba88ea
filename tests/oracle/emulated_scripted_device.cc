#include "tests/engine/decode/cuda/emulated_names.h"
// First, for the new names are for this file alone.
#include "tests/gpu/scripted_cuda_device.cc"  // NOLINT(bugprone-suspicious-include)
