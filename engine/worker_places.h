// The places in which a loaded model runs: CPU or GPUs, as EngineConfig says. Private to engine/.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "engine/create_engine.h"
#include "engine/decode/batch.h"
#include "engine/model/model_source.h"

namespace dragoman {

// Of every worker.
BatchConfig BatchConfigOf(const ModelSpec& spec, const EngineConfig& config);

// Packs the weights for each place. UNIMPLEMENTED when a device does not take the model.
absl::StatusOr<std::vector<WorkerPlace>> CreatePlaces(const LoadedModel& loaded,
                                                      const EngineConfig& config);

}  // namespace dragoman
