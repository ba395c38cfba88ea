#include "tests/kernels/cuda_emulation/runtime.h"
// First, for the instructions and the new names are for the .cu alone.
#include "tests/kernels/cuda_emulation/tensor_core.h"
#include "tests/kernels/ops/emulated_ops.h"

#define TakesFewRows EmulatedTakesFewRows
#define MultiplyFewRows EmulatedMultiplyFewRows
#include "kernels/ops/few_rows_cuda.cu"
