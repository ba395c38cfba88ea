// The launchers of .cu files that are compiled for the host too (emulated_*.cc), under names of
// their own: cuda::EmulatedX does what cuda::X does, in host memory, and is done when it returns.
#pragma once

#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"

namespace dragoman::cuda {

decltype(AlignRows) EmulatedAlignRows;
decltype(CrossAttention) EmulatedCrossAttention;
decltype(DecodeSelfAttention) EmulatedDecodeSelfAttention;
decltype(EmbedTokens) EmulatedEmbedTokens;
decltype(EncoderAttention) EmulatedEncoderAttention;
decltype(WriteCrossKv) EmulatedWriteCrossKv;

}  // namespace dragoman::cuda
