#include "tests/kernels/cuda_emulation/emulation.h"
// Included before the .cu, which uses the emulated instructions. The macros below rename its
// functions.
#include "tests/kernels/cuda_emulation/hopper.h"
#include "tests/kernels/cuda_emulation/runtime.h"
#include "tests/kernels/ops/emulated_ops.h"

#define CreateHopperOutput EmulatedHopperOutput
#define MultiplyQuantizedRows EmulatedMultiplyQuantizedRows
#define QuantizeRows EmulatedQuantizeRows
#include "kernels/ops/output_layer_sm90.cu"
#undef CreateHopperOutput
#undef MultiplyQuantizedRows
#undef QuantizeRows

namespace dragoman::kernels::cuda {

std::unique_ptr<FusedOutput> EmulatedFusedOutputOf(int processors, ComputeType type,
                                                   QuantizedType quantized, const void* weight,
                                                   const float* bias, int d, int vocabulary,
                                                   std::string* why) {
  emulation::processors = processors;
  return EmulatedHopperOutput(type, quantized, weight, bias, d, vocabulary, why);
}

void EmulateFusedCode(bool there, int architecture) {
  emulation::code_architecture = architecture;
  emulation::code_status = there ? cudaSuccess : cudaErrorNoKernelImageForDevice;
}

}  // namespace dragoman::kernels::cuda
