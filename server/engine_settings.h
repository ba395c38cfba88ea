// The engine's settings from the daemon's. Pure.
#pragma once

#include "engine/create_engine.h"
#include "server/config.h"

namespace dragoman {

// What is left to the number of processors is settled by `cpus`. REQUIRES: checked by
// ParseCommandLine.
EngineConfig MakeEngineConfig(const ServerConfig& config, int cpus);

}  // namespace dragoman
