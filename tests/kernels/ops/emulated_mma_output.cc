#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the instructions and the new name are for the .cu alone.
#include "tests/kernels/cuda_emulation/runtime.h"
#include "tests/kernels/cuda_emulation/tensor_core.h"
#include "tests/kernels/ops/emulated_ops.h"

#define CreateMmaOutput EmulatedMmaOutput
#include "kernels/ops/output_layer_mma.cu"
#undef CreateMmaOutput

namespace dragoman::cuda {

std::unique_ptr<FusedOutput> EmulatedMmaOutputOf(int processors, ComputeType type,
                                                 const void* weight, const float* bias, int d,
                                                 int vocabulary, std::string* why) {
  emulation::processors = processors;
  return EmulatedMmaOutput(type, weight, bias, d, vocabulary, why);
}

}  // namespace dragoman::cuda
