#include "tests/kernels/cuda_emulation/emulation.h"
// First. The launchers keep their names here, for tests without the library.
#include "kernels/ops/activation_cuda.cu"
