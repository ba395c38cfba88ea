#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the new names are for the .cu alone.
#include "tests/kernels/ops/emulated_ops.h"

#define MultiplyNarrowRows EmulatedMultiplyNarrowRows
#define NarrowRows EmulatedNarrowRows
#include "kernels/ops/narrow_rows_cuda.cu"
