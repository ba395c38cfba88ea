#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the new names are for the .cu alone.
#include "tests/gpu/variants/emulated_variants.h"

#define PlaceBans EmulatedPlaceBans
#include "tests/gpu/variants/place_bans.cu"
