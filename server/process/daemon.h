// The daemon's life: load, serve, drain on a signal.
#pragma once

#include "server/settings/config.h"

namespace dragoman {

// Serves until SIGTERM or SIGINT; a second one ends the drain at once. SIGHUP reloads what has
// changed on disk: models, glossaries, certificates and API keys.
// REQUIRES: PrepareSignals (signals.h) was called. Returns the process's exit status: 0 after a
// clean drain, 1 if it could not start, calls were cut off, or a model lost its last worker.
int RunDaemon(const ServerConfig& config);

}  // namespace dragoman
