#include "tests/kernels/cuda_emulation/emulation.h"
// Included before the .cu, which uses the emulated instructions. The macros below rename its
// functions.
#include "tests/kernels/cuda_emulation/runtime.h"
#include "tests/kernels/cuda_emulation/tensor_core.h"
#include "tests/kernels/ops/emulated_ops.h"

#define CreateMmaOutput EmulatedMmaOutput
#define MultiplyQuantizedRows EmulatedMultiplyQuantizedRows
#define QuantizeRows EmulatedQuantizeRows
#include "kernels/ops/output_layer_mma.cu"
#undef CreateMmaOutput
#undef MultiplyQuantizedRows
#undef QuantizeRows

namespace dragoman::kernels::cuda {

std::unique_ptr<FusedOutput> EmulatedMmaOutputOf(int processors, ComputeType type,
                                                 QuantizedType quantized, const void* weight,
                                                 const float* bias, int d, int vocabulary,
                                                 std::string* why) {
  emulation::processors = processors;
  return EmulatedMmaOutput(type, quantized, weight, bias, d, vocabulary, why);
}

}  // namespace dragoman::kernels::cuda
