// Plans a model's devices from its settings, the machine and the model's files, and starts the
// engine on them.
#pragma once

#include <functional>
#include <memory>
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

// Checks that the settings fit together, by the engine's own rules, as far as that is possible
// without examining the machine. INVALID_ARGUMENT names settings that conflict. REQUIRES:
// ParseCommandLine has checked `config`.
absl::Status CheckEngineSettings(const ServerConfig& config);

// Decides where the model runs (DevicePlanner, server/models/model_manager.h). With --device auto,
// a model runs on the CPU if GPUs do not support its shortlist, compute type or shapes, or cannot
// combine the members of its ensemble. A GPU with too little memory, or one that fails, is an
// error, because a fallback would hide it. `probe` examines the GPUs; it is called only if the
// settings allow a GPU. Returns UNIMPLEMENTED if the GPUs that the settings name do not support the
// model. REQUIRES: ParseCommandLine has checked `model`.
absl::StatusOr<DevicePlan> PlanDevices(
    const ModelSettings& model, const ModelShare& share, engine::LoadContext* load,
    const std::function<engine::CudaProbe()>& probe = engine::ProbeCuda);

// Starts the engine on the devices of share.plan. Logs the plan and its reasons; ModelInfo::notes
// also names a GPU that is not used. REQUIRES: `clock` and `observer` outlive the engine.
// ParseCommandLine has checked `model`. share.plan is OK.
absl::StatusOr<std::unique_ptr<engine::Engine>> StartEngine(const ModelSettings& model,
                                                            const ModelShare& share,
                                                            const engine::Clock* clock,
                                                            engine::EngineObserver* observer,
                                                            engine::LoadContext* load);

// Returns the processors and the memory that the models may use. REQUIRES: called before any model
// is loaded.
ModelResources FindResources(const ServerConfig& config, const DetectorMemory& detector);

// Logs an upper bound on the host memory of all models and of serving. It includes the memory for
// loading at the start (ModelManager::start_peak_bytes). Warns if it exceeds the limit of
// `resources`.
void LogMemoryBound(const ServerConfig& config, const DetectorMemory& detector,
                    const ModelResources& resources, const std::vector<ModelStats>& models,
                    int64_t start_peak_bytes);

}  // namespace dragoman::server
