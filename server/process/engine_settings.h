// Makes the engine's settings from the daemon's. Pure.
#pragma once

#include "engine/api/create_engine.h"
#include "server/models/model_budget.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Rows of a batch where --max-rows is not given.
inline constexpr int kCpuMaxRows = 256;
inline constexpr int kGpuMaxRows = 4096;

// `share` decides the settings that depend on the number of processors and on the memory of a GPU,
// `devices` those that depend on the device. REQUIRES: checked by ParseCommandLine.
engine::EngineConfig MakeEngineConfig(const ModelSettings& config, const ModelShare& share,
                                      const engine::DeviceChoice& devices);

}  // namespace dragoman::server
