#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the instructions and the new name are for the .cu alone.
#include "tests/kernels/cuda_emulation/hopper.h"
#include "tests/kernels/cuda_emulation/runtime.h"
#include "tests/kernels/ops/emulated_ops.h"

// Compiled with older/ before the tree: its output_epilogue.cuh.

#define CreateHopperOutput EmulatedOlderHopperOutput
#define MultiplyNarrowRows EmulatedMultiplyNarrowRows
#define NarrowRows EmulatedNarrowRows
#include "kernels/ops/output_layer_sm90.cu"
#undef CreateHopperOutput
#undef MultiplyNarrowRows
#undef NarrowRows

namespace dragoman::cuda {

std::unique_ptr<FusedOutput> EmulatedOlderFusedOutputOf(int processors, ComputeType type,
                                                        NarrowType narrow, const void* weight,
                                                        const float* bias, int d, int vocabulary,
                                                        std::string* why) {
  emulation::processors = processors;
  return EmulatedOlderHopperOutput(type, narrow, weight, bias, d, vocabulary, why);
}

}  // namespace dragoman::cuda
