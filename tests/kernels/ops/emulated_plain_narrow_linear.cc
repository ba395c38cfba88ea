#include "tests/kernels/cuda_emulation/emulation.h"
#include "tests/kernels/cuda_emulation/runtime.h"
// First, for the instructions and the new names are for the .cu alone.
#include "tests/kernels/cuda_emulation/tensor_core.h"
#include "tests/kernels/ops/emulated_ops.h"

// The code for cards before 8.0, as nvcc would choose it.
#define __CUDA_ARCH__ 750  // NOLINT(bugprone-reserved-identifier)
#define Activate EmulatedActivate
#define MultiplyNarrow EmulatedPlainMultiplyNarrow
#define NarrowProductNodes EmulatedPlainNarrowProductNodes
#define NarrowRows EmulatedNarrowRows
#define PrepareNarrowProduct EmulatedPlainPrepareNarrowProduct
#include "kernels/ops/narrow_linear_cuda.cu"
