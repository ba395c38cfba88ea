// Creates an engine from a model that is loaded already, for tests and measurements. The server
// creates an engine from a directory (engine/api/create_engine.h).
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/decode/step_model.h"
#include "engine/model/layouts/model_source.h"
#include "engine/worker_places.h"

namespace dragoman::engine {

// Whether the engine finds out by a trial which sentinels its model copies
// (engine/sentinel_trial.h). An engine that is created from a directory always runs the trial.
// kNone is for a scripted test model, which does not translate.
enum class SentinelTrial { kNone, kRun };

// Creates an engine that runs the model in `places`. Ignores config.devices and config.workers.
// REQUIRES: there is at least one place, and all places have the same compute type.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(LoadedModel loaded,
                                                     std::vector<WorkerPlace> places,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer,
                                                     SentinelTrial trial = SentinelTrial::kNone);

// Creates an engine that runs `model`, which may be a scripted one, on the CPU with config.workers
// workers. Does not run the trial of sentinels.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(LoadedModel loaded,
                                                     std::shared_ptr<const StepModel> model,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer);

}  // namespace dragoman::engine
