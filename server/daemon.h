// The daemon's life: load, serve, drain on a signal.
#pragma once

#include "server/config.h"

namespace dragoman {

// Blocks SIGTERM and SIGINT and ignores SIGPIPE, for this thread and those it starts. Call it
// before anything else.
void PrepareSignals();

// Serves until SIGTERM or SIGINT; a second signal ends the drain at once. REQUIRES: PrepareSignals
// was called. Returns the process's exit status: 0 after a clean drain, 1 if it could not start,
// calls were cut off, or the engine lost its last worker.
int RunDaemon(const ServerConfig& config);

}  // namespace dragoman
