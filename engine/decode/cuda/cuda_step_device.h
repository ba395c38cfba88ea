// The StepDevice of a GPU: each kind of step is a CUDA graph, recorded at Create, and a step is one
// launch.
//
// Owned and called by one decode thread. Steps run on a stream of high priority; nothing in
// Enqueue waits or allocates.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_model.h"
#include "engine/decode/step_device.h"

namespace dragoman {

// Runs every graph once on an empty batch, so that what does not work shows here. `pool`: the K/V
// pages on the model's device, borrowed.
absl::StatusOr<std::unique_ptr<StepDevice>> CreateCudaStepDevice(
    std::shared_ptr<const CudaModel> model, const BatchLimits& limits, void* pool);

}  // namespace dragoman
