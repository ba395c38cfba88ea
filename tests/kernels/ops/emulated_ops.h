// The launchers of .cu files that are compiled for the host too (emulated_*.cc), under names of
// their own: cuda::EmulatedX does what cuda::X does, in host memory, and is done when it returns.
#pragma once

#include "kernels/ops/embed.h"

namespace dragoman::cuda {

decltype(EmbedTokens) EmulatedEmbedTokens;

}  // namespace dragoman::cuda
