#include <memory>
#include <string>

#include "kernels/ops/output_layer_cuda.h"

namespace dragoman::kernels::cuda {

std::unique_ptr<FusedOutput> FusedOutput::Create(ComputeType type, QuantizedType quantized,
                                                 const void* weight, const float* bias, int d,
                                                 int vocabulary, std::string* why) {
  std::string why_not_hopper;
  auto fused = CreateHopperOutput(type, quantized, weight, bias, d, vocabulary, &why_not_hopper);
  if (fused == nullptr) fused = CreateMmaOutput(type, quantized, weight, bias, d, vocabulary, why);
  // At most one of the two methods has code for a card.
  if (fused == nullptr && *why != why_not_hopper)
    *why = "by wgmma: " + why_not_hopper + "; by mma: " + *why;
  return fused;
}

}  // namespace dragoman::kernels::cuda
