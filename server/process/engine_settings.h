// The engine's settings from the daemon's. Pure.
#pragma once

#include "engine/api/create_engine.h"
#include "server/models/model_budget.h"
#include "server/settings/config.h"

namespace dragoman {

// Rows of a batch where --max-rows says nothing.
inline constexpr int kCpuMaxRows = 256;
inline constexpr int kGpuMaxRows = 4096;

// What is left to the number of processors and to the memory of a GPU is settled by `share`, what to
// the device by `devices`. REQUIRES: checked by ParseCommandLine.
EngineConfig MakeEngineConfig(const ModelSettings& config, const ModelShare& share,
                              const DeviceChoice& devices);

}  // namespace dragoman
