#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the new names are for the .cu alone.
#include "tests/kernels/ops/emulated_ops.h"

#define FillRandom EmulatedFillRandom
#define CountDifferent EmulatedCountDifferent
#include "kernels/cuda/row_check.cu"
