#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the instructions and the new names are for the .cu alone.
#include "tests/kernels/cuda_emulation/tensor_core.h"
#include "tests/kernels/ops/emulated_ops.h"

// The code for cards before 8.0, as nvcc would choose it.
#define __CUDA_ARCH__ 750  // NOLINT(bugprone-reserved-identifier)
#define EncoderAttention EmulatedPlainEncoderAttention
#include "kernels/ops/encoder_attention_cuda.cu"
