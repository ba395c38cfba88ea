// Which models are served, and over which pivots: from the flags, a file and a directory of models.
//
// Part of config.h, whose table of settings it asks. Pure but for listing --models-dir.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/settings/config.h"

namespace dragoman {

// Of a configuration file: its path, and its `models`, which wait until the flags have settled what
// a model has that says nothing of its own.
struct ModelsOfFile {
  std::string path;
  nlohmann::json models = nlohmann::json::array();
};

// Where the settings of OverrideSettings are said to be.
inline constexpr std::string_view kSettingsOfRequest = "settings: ";

// In config.cc: sets one setting of a model by its flag's name. INVALID_ARGUMENT, naming `where`;
// also for what is no setting of a model. With kSettingsOfRequest values are text, as in a flag.
absl::Status SetModelOption(const std::string& name, const std::string& where,
                            const nlohmann::json& value, ModelSettings* model);

// What a model may have of its own, as far as it can be told without the machine.
absl::Status CheckModel(const ModelSettings& settings);

// Fills in config->models and pivots, the names of the default model in config. INVALID_ARGUMENT.
absl::Status ResolveModels(const ModelsOfFile& file, ServerConfig* config);
absl::Status ResolvePivots(ServerConfig* config);

}  // namespace dragoman
