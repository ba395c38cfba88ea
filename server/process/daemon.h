// Runs the daemon: loads the models, serves calls, and drains when a signal arrives.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Reads the command line and the configuration file again.
using ReadConfig = std::function<absl::StatusOr<ServerConfig>()>;

// Serves until SIGTERM or SIGINT. A second signal ends the drain at once. SIGHUP and AdminService's
// ReloadAll call `read_again` and apply changes of models, glossaries, certificates and API keys.
// Other settings take effect at the next start. If `read_again` is empty, the settings stay the
// same, and only the files that they name are read again.
//
// Returns the exit status: 0 after a clean drain, 1 if the daemon could not start, if calls were
// cut off, or if a model lost its last worker. REQUIRES: PrepareSignals (signals.h) was called.
int RunDaemon(const ServerConfig& config, const ReadConfig& read_again);

}  // namespace dragoman::server
