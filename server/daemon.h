// The daemon's life: load, serve, drain on a signal.
#pragma once

#include "absl/status/status.h"
#include "server/config.h"

namespace dragoman {

// Which settings go together, by the engine's own rules. INVALID_ARGUMENT says which do not.
absl::Status CheckEngineSettings(const ServerConfig& config);

// Serves until SIGTERM or SIGINT; a second one ends the drain at once. SIGHUP reloads glossaries.
// REQUIRES: PrepareSignals (signals.h) was called. Returns the process's exit status: 0 after a
// clean drain, 1 if it could not start, calls were cut off, or the engine lost its last worker.
int RunDaemon(const ServerConfig& config);

}  // namespace dragoman
