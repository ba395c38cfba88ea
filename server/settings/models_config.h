// Decides which models and pivots are served: from the flags, a file and a directory of models.
//
// Part of config.h, whose table of settings it asks. Pure but for listing --models-dir.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/settings/config.h"

namespace dragoman::server {

// The models of a configuration file: its path, and its `models`, which wait until the flags have
// settled the defaults of a model.
struct ModelsOfFile {
  std::string path;
  bool is_regular = true;  // false: a pipe, which can be read once
  nlohmann::json models = nlohmann::json::array();
};

// The `where` in errors about the settings of OverrideSettings.
inline constexpr std::string_view kSettingsOfRequest = "settings: ";

// In config.cc: sets one setting of a model by its flag's name. INVALID_ARGUMENT, naming `where`;
// also for names that are not settings of a model. With kSettingsOfRequest values are text, as in a
// flag.
absl::Status SetModelOption(const std::string& name, const std::string& where,
                            const nlohmann::json& value, ModelSettings* model);

// Checks a model's own settings, as far as is possible without a look at the machine.
absl::Status CheckModel(const ModelSettings& settings);

// Fill in config->models and config->pivots, and the default model. INVALID_ARGUMENT.
absl::Status ResolveModels(const ModelsOfFile& file, ServerConfig* config);
absl::Status ResolvePivots(ServerConfig* config);

}  // namespace dragoman::server
