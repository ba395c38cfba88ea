// Creates an engine from a loaded model, for tests and measurements. The server creates an engine
// from a directory (engine/api/create_engine.h).
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/decode/step_model.h"
#include "engine/model/layouts/model_source.h"
#include "engine/worker_places.h"

namespace dragoman::engine {

// Says whether an engine tries which sentinels its model copies (engine/sentinel_trial.h). The
// engine of a directory always does. Scripted places do not translate and must use kNone.
enum class SentinelTrial { kNone, kRun };

// Runs the model in `places`, and ignores config.devices and config.workers. REQUIRES: at least one
// place, and all have one compute type.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(LoadedModel loaded,
                                                     std::vector<WorkerPlace> places,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer,
                                                     SentinelTrial trial = SentinelTrial::kNone);

// The same on the CPU with `model`, which may be scripted in tests. Tries no sentinels.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(LoadedModel loaded,
                                                     std::shared_ptr<const StepModel> model,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer);

}  // namespace dragoman::engine
