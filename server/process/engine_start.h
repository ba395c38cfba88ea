// Plans a model's devices from its settings, the machine and the model's files, and starts the engine
// there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/devices.h"
#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/base/clock.h"
#include "server/call/detect/open_detector.h"
#include "server/models/model_budget.h"
#include "server/models/model_manager.h"
#include "server/observe/engine_families.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Checks which settings go together, by the engine's own rules and as far as is possible without a
// look at the machine. INVALID_ARGUMENT names those that do not. REQUIRES: checked by
// ParseCommandLine.
absl::Status CheckEngineSettings(const ServerConfig& config);

// Where the model runs, as DevicePlanner. With --device auto that is the CPU for one that GPUs cannot
// take: for its shortlist, its compute type, its shapes, or members that do not go together there.
// Nothing else gives way to the CPU, which would hide it: not a card without the memory, nor one that
// fails. `probe` looks at the machine's GPUs; it is called only where the settings allow one.
// UNIMPLEMENTED for a model that named GPUs cannot take. REQUIRES: checked by ParseCommandLine.
absl::StatusOr<DevicePlan> PlanDevices(
    const ModelSettings& model, const ModelShare& share, engine::LoadContext* load,
    const std::function<engine::CudaProbe()>& probe = engine::ProbeCuda);

// Starts the engine where share.plan says, which the log repeats, with the reasons; a GPU that is not
// used is in ModelInfo::notes, too. `clock` and `observer` are borrowed for the engine's life.
// REQUIRES: checked by ParseCommandLine; share.plan is OK.
absl::StatusOr<std::unique_ptr<engine::Engine>> StartEngine(const ModelSettings& model,
                                                            const ModelShare& share,
                                                            const engine::Clock* clock,
                                                            engine::EngineObserver* observer,
                                                            engine::LoadContext* load);

// The resources that this machine has for models, beside what serving needs. To be called before
// any model is loaded.
ModelResources FindResources(const ServerConfig& config, const DetectorMemory& detector);

// Says in the log what all models and serving come to hold of the host's memory, loading at the
// start (ModelManager::start_peak_bytes) included, and warns where that is above the limit of
// `resources`.
void LogMemoryBound(const ServerConfig& config, const DetectorMemory& detector,
                    const ModelResources& resources, const std::vector<ModelStats>& models,
                    int64_t start_peak_bytes);

}  // namespace dragoman::server
