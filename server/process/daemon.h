// The daemon's life: load, serve, drain on a signal.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Reads the command line and the configuration file again.
using ReadConfig = std::function<absl::StatusOr<ServerConfig>()>;

// Serves until SIGTERM or SIGINT; a second one ends the drain at once. SIGHUP and AdminService's
// ReloadAll call `read_again` and apply what has changed: models, glossaries, certificates and API keys.
// Other settings take effect at the next start. Empty: the settings stay, and files are read again.
//
// REQUIRES: PrepareSignals (signals.h) was called. Returns the process's exit status: 0 after a
// clean drain, 1 if it could not start, calls were cut off, or a model lost its last worker.
int RunDaemon(const ServerConfig& config, const ReadConfig& read_again);

}  // namespace dragoman::server
