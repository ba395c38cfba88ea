// Makes the engine's settings from the daemon's. Pure.
#pragma once

#include "engine/api/create_engine.h"
#include "server/models/model_budget.h"
#include "server/settings/config.h"

namespace dragoman::server {

// The default of --max-rows, for the CPU and for a GPU.
inline constexpr int kCpuMaxRows = 256;
inline constexpr int kGpuMaxRows = 4096;

// REQUIRES: ParseCommandLine has checked `config`.
engine::EngineConfig MakeEngineConfig(const ModelSettings& config, const ModelShare& share,
                                      const engine::DeviceChoice& devices);

}  // namespace dragoman::server
