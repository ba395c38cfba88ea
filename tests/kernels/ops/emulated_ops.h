// The launchers of .cu files that are compiled for the host too (emulated_*.cc), under names of
// their own: cuda::EmulatedX does what cuda::X does, in host memory, and is done when it returns.
#pragma once

#include "kernels/cuda/row_check.h"
#include "kernels/ops/activation.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/layer_norm.h"

namespace dragoman::cuda {

decltype(Activate) EmulatedActivate;
decltype(AddLayerNorm) EmulatedAddLayerNorm;
decltype(CountDifferent) EmulatedCountDifferent;
decltype(EmbedTokens) EmulatedEmbedTokens;
decltype(FillRandom) EmulatedFillRandom;

}  // namespace dragoman::cuda
