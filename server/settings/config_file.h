// Reads the configuration file and the settings in it. Part of config.h.
#pragma once

#include "absl/status/status.h"
#include "engine/base/limited_json.h"
#include "server/settings/config.h"
#include "server/settings/models_config.h"

namespace dragoman::server {

// Limits on the JSON of a configuration file. The file is one object of settings. It may contain
// lists of models.
inline constexpr engine::JsonLimits kConfigFileLimits = {
    .max_bytes = size_t{1} << 20, .max_depth = 8, .max_values = 1 << 18};

// Reads the file at `file->path`: sets the settings in `config` and puts the file's models into
// `file`. The file may be a pipe, such as the shell's `<(...)`. If so, sets file->is_regular to
// false, because a pipe cannot be read again. Fails if a pipe brings nothing for five seconds.
// INVALID_ARGUMENT names the path and what is wrong with the file (it does not exist, is a
// directory, is too large, has no writer), or the wrong setting.
absl::Status ReadConfigFile(ServerConfig* config, ModelsOfFile* file);

}  // namespace dragoman::server
