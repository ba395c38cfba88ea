#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the instructions and the new names are for the .cu alone.
#include "tests/gpu/variants/emulated_variants.h"
#include "tests/kernels/cuda_emulation/tensor_core.h"

#define GatherOwnKv EmulatedGatherOwnKv
#define OwnSelfAttention EmulatedOwnSelfAttention
#define OwnCrossAttention EmulatedOwnCrossAttention
#include "tests/gpu/variants/own_kv.cu"
