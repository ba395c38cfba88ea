// How many pages of K/V the workers of an engine get: from the model, the settings, and the memory
// that there is. Private to engine/.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/base/load_memory.h"
#include "engine/decode/backend.h"
#include "engine/model/families/model_spec.h"
#include "engine/worker_places.h"

namespace dragoman::engine {

// Limits the memory of files that are unpacked or read whole while a model is loaded: to what the
// host has now, without other models and what is in use for calls.
void LimitLoad(const EngineConfig& config, LoadMemory* memory);

// Whether weights of `bytes` in the form of the operations, for each node of memory, are within the
// host's memory, beside what the load holds: they are read in pieces, so packing takes no more than
// what stays. Counted in `load` until the Hold goes. RESOURCE_EXHAUSTED with the arithmetic.
absl::StatusOr<LoadMemory::Hold> CheckWeightsFit(int64_t parameters, int64_t bytes,
                                                 const EngineConfig& config, LoadMemory* load);

// One plan for the workers of each place, beside `text_bytes` of the host for vocabularies, tokenizer
// and glossaries. With the arithmetic: RESOURCE_EXHAUSTED when the host has
// not got the memory; INVALID_ARGUMENT when a segment of the default beam could not run at its
// longest with the kv-memory-mb that was asked for.
absl::StatusOr<std::vector<PagePlan>> PlanPagesOfPlaces(
    const std::vector<WorkerPlace>& places, const ModelSpec& spec, int max_source_tokens,
    const BatchConfig& batch, int64_t text_bytes, const EngineConfig& config);

}  // namespace dragoman::engine
