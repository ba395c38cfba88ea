#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the instructions and the new names are for the .cu alone.
#include "tests/kernels/cuda_emulation/tensor_core.h"
#include "tests/kernels/ops/emulated_ops.h"

#define CrossAttention EmulatedCrossAttention
#define WriteCrossKv EmulatedWriteCrossKv
#include "kernels/ops/cross_attention_cuda.cu"
