// Computes how many K/V pages the workers of an engine get, from the model, the settings and the
// available memory. Private to engine/.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/base/load_memory.h"
#include "engine/decode/backend.h"
#include "engine/model/families/model_spec.h"
#include "engine/worker_places.h"

namespace dragoman::engine {

// Limits the memory of files that are unpacked or read completely during a load, to the available
// memory of the host without other models and the memory in use for calls.
void LimitLoad(const EngineConfig& config, LoadMemory* memory);

// Checks that the host has room for packed weights of `bytes` on each NUMA node, in addition to
// what `load` counts. Packing takes no more, because it reads in pieces. `load` counts the weights
// until the Hold is destroyed. Returns RESOURCE_EXHAUSTED with the arithmetic.
absl::StatusOr<LoadMemory::Hold> CheckWeightsFit(int64_t parameters, int64_t bytes,
                                                 const EngineConfig& config, LoadMemory* load);

// Returns one plan for the workers of each place. `text_bytes` of the host are for vocabularies,
// tokenizer and glossaries. Returns, with the arithmetic, RESOURCE_EXHAUSTED if the host does not
// have the memory, and INVALID_ARGUMENT if kv-memory-mb does not suffice for the longest segment of
// the default beam.
absl::StatusOr<std::vector<PagePlan>> PlanPagesOfPlaces(
    const std::vector<WorkerPlace>& places, const ModelSpec& spec, int max_source_tokens,
    const BatchConfig& batch, int64_t text_bytes, const EngineConfig& config);

}  // namespace dragoman::engine
