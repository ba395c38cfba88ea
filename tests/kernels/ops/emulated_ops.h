// The launchers of .cu files that are compiled for the host too (emulated_*.cc), under names of
// their own: cuda::EmulatedX does what cuda::X does, in host memory, and is done when it returns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/cuda/row_check.h"
#include "kernels/ops/activation_cuda.h"
#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/few_rows.h"
#include "kernels/ops/gate.h"
#include "kernels/ops/gather_rows.h"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/ops/output_mean_cuda.h"
#include "kernels/ops/quantize_rows.h"
#include "kernels/ops/quantized_linear.h"
#include "kernels/ops/recurrence.h"
#include "kernels/ops/row_norm.h"

namespace dragoman::emulation {

// Launches of kernels that were run, ever.
extern int64_t launches;

}  // namespace dragoman::emulation

namespace dragoman::kernels::cuda {

decltype(Activate) EmulatedActivate;
decltype(AddLayerNorm) EmulatedAddLayerNorm;
decltype(AddRmsNorm) EmulatedAddRmsNorm;
decltype(AlignRows) EmulatedAlignRows;
decltype(CountDifferent) EmulatedCountDifferent;
decltype(CrossAttention) EmulatedCrossAttention;
decltype(DecodeSelfAttention) EmulatedDecodeSelfAttention;
decltype(EmbedTokens) EmulatedEmbedTokens;
decltype(EncoderAttention) EmulatedEncoderAttention;
decltype(FillRandom) EmulatedFillRandom;
decltype(FoldMeanLogits) EmulatedFoldMeanLogits;
decltype(FoldMaterializedLogits) EmulatedFoldMaterializedLogits;
decltype(GateRows) EmulatedGateRows;
decltype(GatherRows) EmulatedGatherRows;
decltype(MultiplyFewRows) EmulatedMultiplyFewRows;
decltype(MultiplyQuantized) EmulatedMultiplyQuantized;
decltype(MultiplyQuantizedRows) EmulatedMultiplyQuantizedRows;
decltype(QuantizedProductNodes) EmulatedQuantizedProductNodes;
decltype(QuantizeRows) EmulatedQuantizeRows;
decltype(PrepareQuantizedProduct) EmulatedPrepareQuantizedProduct;
decltype(Recur) EmulatedRecur;
decltype(TakesFewRows) EmulatedTakesFewRows;
decltype(WriteCrossKv) EmulatedWriteCrossKv;

// Cards before 8.0 have these.
decltype(EncoderAttention) EmulatedPlainEncoderAttention;
decltype(MultiplyQuantized) EmulatedPlainMultiplyQuantized;
decltype(QuantizedProductNodes) EmulatedPlainQuantizedProductNodes;
decltype(PrepareQuantizedProduct) EmulatedPlainPrepareQuantizedProduct;

// FusedOutput::Create where the device has so many processors: Hopper's, and that of the cards that
// multiply by mma.
std::unique_ptr<FusedOutput> EmulatedFusedOutputOf(int processors, ComputeType type,
                                                   QuantizedType quantized, const void* weight,
                                                   const float* bias, int d, int vocabulary,
                                                   std::string* why);
std::unique_ptr<FusedOutput> EmulatedMmaOutputOf(int processors, ComputeType type,
                                                 QuantizedType quantized, const void* weight,
                                                 const float* bias, int d, int vocabulary,
                                                 std::string* why);

// Whether the device has code of the fused kernels, for those made from now on, and for which
// architecture it was compiled.
void EmulateFusedCode(bool there, int architecture = 80);

}  // namespace dragoman::kernels::cuda
