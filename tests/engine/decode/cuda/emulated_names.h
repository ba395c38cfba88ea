// Defines other names for everything that belongs to the device and for the classes that contain
// it, so that the real and the emulated classes exist in one program. Must be the first include.
// Only files that include one .cc of engine/decode/cuda or tests/gpu after it, and tests of these
// files, may include it.
#pragma once

#include "tests/engine/decode/cuda/emulated_cuda.h"

#define ErrorText EmulatedErrorText
#define Describe EmulatedDescribe
#define FreeMemory EmulatedFreeMemory
#define SetDevice EmulatedSetDevice
#define DeviceBuffer EmulatedDeviceBuffer
#define PinnedBuffer EmulatedPinnedBuffer
#define OwnedStream EmulatedOwnedStream
#define Event EmulatedEvent
#define Graph EmulatedGraph
#define Blas EmulatedBlas
#define Linear EmulatedLinear
#define FusedOutput EmulatedFusedOutput
#define AddLayerNorm kAddLayerNorm
#define AddRmsNorm kAddRmsNorm
#define AlignRows kAlignRows
#define Copy EmulatedCopy
#define Fill EmulatedFill
#define CrossAttention kCrossAttention
#define DecodeSelfAttention kDecodeSelfAttention
#define EmbedTokens kEmbedTokens
#define EncoderAttention kEncoderAttention
#define FoldMeanLogits kFoldMeanLogits
#define FoldMaterializedLogits kFoldMaterializedLogits
#define GateRows kGateRows
#define GatherRows kGatherRows
#define MultiplyQuantized LaunchEmulatedMultiplyQuantized
#define MultiplyQuantizedRows kMultiplyQuantizedRows
#define QuantizeRows kQuantizeRows
#define PrepareQuantizedProduct EmulatedPrepareQuantizedProduct
#define Recur kRecur
#define WriteCrossKv kWriteCrossKv
#define FormatBatch kFormatBatch
#define BeginStep kBeginStep
#define PrepareRows LaunchEmulatedPrepareRows
#define FoldMaterializedRows kFoldMaterializedRows
#define StepSlots kStepSlots
#define Deliver kDeliver
#define EndStep kEndStep

#define GiveUpDevice EmulatedGiveUpDevice
#define WhyGivenUp EmulatedWhyGivenUp
#define StepMailboxes EmulatedStepMailboxes
#define CudaModel EmulatedCudaModel
#define LayerProduct EmulatedLayerProduct
#define CudaStep EmulatedCudaStep
#define CudaPlanner EmulatedCudaPlanner
#define CheckCudaModel CheckEmulatedCudaModel
#define MeasureRates MeasureEmulatedRates
#define ProfileCudaSteps ProfileEmulatedCudaSteps
#define TimeCudaSteps TimeEmulatedCudaSteps
#define CreateCudaBackend CreateEmulatedCudaBackend
#define CreateCudaEncoder CreateEmulatedCudaEncoder
#define CreateCudaStepDevice CreateEmulatedCudaStepDevice
#define ScriptedCudaDevice EmulatedScriptedDevice
#define DeviceBackend EmulatedDeviceBackend
#define CudaStatus EmulatedCudaStatus
#define CudaMemoryStatus EmulatedCudaMemoryStatus
#define CudaDeviceName EmulatedCudaDeviceName
