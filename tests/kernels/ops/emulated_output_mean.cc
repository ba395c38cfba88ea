#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the new names are for the .cu alone.
#include "tests/kernels/ops/emulated_ops.h"

#define FoldMeanLogits EmulatedFoldMeanLogits
#include "kernels/ops/output_mean_cuda.cu"
