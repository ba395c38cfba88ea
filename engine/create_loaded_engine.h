// Makes an engine around a model that is loaded already. For tests and measurements: the server
// makes one of a directory (engine/api/create_engine.h).
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/decode/step_model.h"
#include "engine/model/layouts/model_source.h"
#include "engine/worker_places.h"

namespace dragoman::engine {

// Says whether an engine tries which sentinels its model copies (engine/sentinel_trial.h). The engine
// of a directory always does. Scripted places do not translate and must use kNone.
enum class SentinelTrial { kNone, kRun };

// Runs in these places; config.devices and .workers are not asked.
// REQUIRES: at least one, all of one compute type.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(LoadedModel loaded,
                                                     std::vector<WorkerPlace> places,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer,
                                                     SentinelTrial trial = SentinelTrial::kNone);

// The same on the CPU with this model, which may be scripted (tests). No sentinels are tried.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(LoadedModel loaded,
                                                     std::shared_ptr<const StepModel> model,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer);

}  // namespace dragoman::engine
