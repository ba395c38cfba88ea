// The launchers of .cu files that are also compiled for the host (emulated_*.cc), under different
// names: cuda::EmulatedX does the same as cuda::X in host memory, and has finished when it returns.
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

// The number of kernel launches in this process.
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

// The code for cards of compute capability below 8.0.
decltype(EncoderAttention) EmulatedPlainEncoderAttention;
decltype(MultiplyQuantized) EmulatedPlainMultiplyQuantized;
decltype(QuantizedProductNodes) EmulatedPlainQuantizedProductNodes;
decltype(PrepareQuantizedProduct) EmulatedPlainPrepareQuantizedProduct;

// FusedOutput::Create for a device with `processors` processors: with Hopper's kernels, and with
// the kernels for cards that have mma.
std::unique_ptr<FusedOutput> EmulatedFusedOutputOf(int processors, ComputeType type,
                                                   QuantizedType quantized, const void* weight,
                                                   const float* bias, int d, int vocabulary,
                                                   std::string* why);
std::unique_ptr<FusedOutput> EmulatedMmaOutputOf(int processors, ComputeType type,
                                                 QuantizedType quantized, const void* weight,
                                                 const float* bias, int d, int vocabulary,
                                                 std::string* why);

// Sets for later objects whether the device has the fused kernels' code, and its architecture.
void EmulateFusedCode(bool there, int architecture = 80);

}  // namespace dragoman::kernels::cuda
