#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the new names are for the .cu alone.
#include "tests/kernels/ops/emulated_ops.h"

// Compiled with older/ before the tree.
#define Activate EmulatedOlderActivate
#include "kernels/ops/activation_cuda.cu"
