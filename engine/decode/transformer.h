// The Transformer of a ModelSpec: encoder and decoder built from its data and the operations of
// kernels/ops. Weights are packed once and shared; every worker has scratch of its own.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/decode/step_model.h"
#include "engine/model/model_spec.h"
#include "engine/model/weights.h"

namespace dragoman {

// Copies what it needs of `weights`, which may go afterwards. REQUIRES: the weights fit the spec
// (the loader has checked it). INVALID_ARGUMENT for a shape that the kernels do not take.
absl::StatusOr<std::shared_ptr<const StepModel>> CreateTransformer(
    const ModelSpec& spec, const TransformerWeights& weights);

}  // namespace dragoman
