// The encoder of a model on a device: packed segments in, cross-attention pages filled.
//
// Owned and called by one thread, which waits at the end of a pass. Its stream has low priority:
// it fills what the steps of the decoder leave free. All buffers are made at Create.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_model.h"
#include "engine/decode/step_model.h"

namespace dragoman {

// `model` is shared with the decoder of the device. Runs a first pass. RESOURCE_EXHAUSTED when
// memory cannot be allocated.
absl::StatusOr<std::unique_ptr<Encoder>> CreateCudaEncoder(std::shared_ptr<const CudaModel> model);

}  // namespace dragoman
