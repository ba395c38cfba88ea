#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the new names are for the .cu alone.
#include "tests/gpu/variants/emulated_variants.h"

#define GatherOwnKv EmulatedGatherOwnKv
#define OwnSelfAttention EmulatedOwnSelfAttention
#define OwnCrossAttention EmulatedOwnCrossAttention
#include "tests/gpu/variants/own_kv.cu"
