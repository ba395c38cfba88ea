// Reads the configuration file and the settings in it. Part of config.h.
#pragma once

#include "absl/status/status.h"
#include "engine/base/limited_json.h"
#include "server/settings/config.h"
#include "server/settings/models_config.h"

namespace dragoman::server {

// The limits of a file, which is an object of settings. Lists of models are nested in it.
inline constexpr engine::JsonLimits kConfigFileLimits = {
    .max_bytes = size_t{1} << 20, .max_depth = 8, .max_values = 1 << 18};

// Sets the settings of the file at `file->path` and puts its models into `file`. The file may be a
// pipe, such as the shell's `<(...)`; then file->is_regular becomes false, because it cannot be
// read again. Waits at most five seconds for each part of the bytes. INVALID_ARGUMENT names the
// path and what is wrong with it (it does not exist, is a directory, is too large, has no writer),
// or the wrong setting.
absl::Status ReadConfigFile(ServerConfig* config, ModelsOfFile* file);

}  // namespace dragoman::server
