// How many pages of K/V the workers of an engine get: from the model, the settings, and the memory
// that there is. Private to engine/.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/decode/backend.h"
#include "engine/model/model_spec.h"
#include "engine/worker_places.h"

namespace dragoman {

// Whether weights of `bytes` in the form of the operations, for each node of memory, are within the
// host's memory: they are read in pieces, so loading takes no more than what stays.
// RESOURCE_EXHAUSTED with the arithmetic.
absl::Status CheckWeightsFit(int64_t parameters, int64_t bytes, const EngineConfig& config);

// One plan for the workers of each place. With the arithmetic: RESOURCE_EXHAUSTED when the host has
// not got the memory; INVALID_ARGUMENT when a segment of the default beam could not run at its
// longest with the kv-memory-mb that was asked for.
absl::StatusOr<std::vector<PagePlan>> PlanPagesOfPlaces(const std::vector<WorkerPlace>& places,
                                                        const ModelSpec& spec,
                                                        int max_source_tokens,
                                                        const BatchConfig& batch,
                                                        const EngineConfig& config);

}  // namespace dragoman
