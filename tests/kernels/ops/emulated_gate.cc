#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the new names are for the .cu alone.
#include "tests/kernels/ops/emulated_ops.h"

#define GateRows EmulatedGateRows
#include "kernels/ops/gate_cuda.cu"
