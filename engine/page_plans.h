// Checks that the host's memory suffices for a model, and computes how many K/V pages the workers
// of an engine get. Private to engine/.
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

// Sets the limit of `memory`, which counts files that are unpacked or read completely during a
// load. The limit is the memory that the host has now, minus the memory of other models and the
// memory reserved for calls. It is at least half of the memory that other models and the process
// without calls leave free.
void LimitLoad(const EngineConfig& config, LoadMemory* memory);

// Checks that the host has room for packed weights of `bytes` bytes on each NUMA node, in addition
// to what `load` counts. Packing needs no further memory, because it reads the files in pieces.
// `load` counts the weights until the Hold is destroyed. If there is no room, returns
// RESOURCE_EXHAUSTED. Its message shows the computation and the number of `parameters`.
absl::StatusOr<LoadMemory::Hold> CheckWeightsFit(int64_t parameters, int64_t bytes,
                                                 const EngineConfig& config, LoadMemory* load);

// Returns one plan for each place. All workers of a place have the same plan. `text_bytes` is the
// host memory that vocabularies, tokenizer and glossaries take. Returns RESOURCE_EXHAUSTED if the
// host does not have the memory, and INVALID_ARGUMENT if kv-memory-mb is too small for one segment
// with the default beam and the longest output. The messages of both errors show the computation.
absl::StatusOr<std::vector<PagePlan>> PlanPagesOfPlaces(
    const std::vector<WorkerPlace>& places, const ModelSpec& spec, int max_source_tokens,
    const BatchConfig& batch, int64_t text_bytes, const EngineConfig& config);

}  // namespace dragoman::engine
