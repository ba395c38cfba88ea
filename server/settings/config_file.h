// The configuration file: its text, wherever it comes from (a regular file, or a pipe as the shell
// makes one of `<(...)`), and the settings in it.
//
// Part of config.h.
#pragma once

#include "absl/status/status.h"
#include "engine/base/limited_json.h"
#include "server/settings/config.h"
#include "server/settings/models_config.h"

namespace dragoman::server {

// A file is an object of settings, one of which is a list of objects, of which settings are lists.
inline constexpr engine::JsonLimits kConfigFileLimits = {
    .max_bytes = size_t{1} << 20, .max_depth = 8, .max_values = 1 << 18};

// Sets the settings of the file at `file->path`, and leaves its models in `file`. INVALID_ARGUMENT
// names the path and what it is instead of a file (not there, a directory, too large, a pipe without
// a writer), or the setting that is wrong. Never waits longer than five seconds for bytes.
// `file->is_regular` says whether the path can be read again.
absl::Status ReadConfigFile(ServerConfig* config, ModelsOfFile* file);

}  // namespace dragoman::server
