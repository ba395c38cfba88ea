#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the new names are for the .cu alone.
#include "tests/kernels/ops/emulated_ops.h"

// Compiled with older/ before the tree.
#define AddLayerNorm EmulatedOlderAddLayerNorm
#include "kernels/ops/layer_norm_cuda.cu"
