// Checks that the settings of the process are possible and go together; those of models are checked
// where models are made of them (models_config.h). Pure.
#pragma once

#include "absl/status/status.h"
#include "server/settings/config.h"

namespace dragoman {

// Addresses, transport, TLS, log and tracing. INVALID_ARGUMENT names what is wrong.
absl::Status CheckProcess(const ServerConfig& config);

}  // namespace dragoman
