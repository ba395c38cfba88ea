#include "tests/kernels/cuda_emulation/emulation.h"
#include "tests/kernels/cuda_emulation/runtime.h"
// First, for the instructions and the new names are for the .cu alone.
#include "tests/kernels/cuda_emulation/tensor_core.h"
#include "tests/kernels/ops/emulated_ops.h"

#define Activate EmulatedActivate
#define MultiplyNarrow EmulatedMultiplyNarrow
#define NarrowProductNodes EmulatedNarrowProductNodes
#define NarrowRows EmulatedNarrowRows
#define PrepareNarrowProduct EmulatedPrepareNarrowProduct
#include "kernels/ops/narrow_linear_cuda.cu"
