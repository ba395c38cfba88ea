// Decides which models and pivots are served, from the flags, a file and a directory of models.
//
// Part of config.h. Pure, except that it lists --models-dir.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/settings/config.h"

namespace dragoman::server {

// A configuration file: its path, and its `models`, which are read after the flags have set the
// defaults of a model.
struct ModelsOfFile {
  std::string path;
  bool is_regular = true;  // false: a pipe, which can be read once
  nlohmann::json models = nlohmann::json::array();
};

// The `where` of errors in OverrideSettings.
inline constexpr std::string_view kSettingsOfRequest = "settings: ";

// Sets one setting of a model by its flag's name. With kSettingsOfRequest, values are text as in a
// flag. Returns INVALID_ARGUMENT naming `where` for a wrong value or a name that is not a setting
// of a model. Defined in config.cc.
absl::Status SetModelOption(const std::string& name, const std::string& where,
                            const nlohmann::json& value, ModelSettings* model);

// Checks a model's own settings as far as possible without a look at the machine.
absl::Status CheckModel(const ModelSettings& settings);

// Fill in config->models, config->pivots and the default model. Return INVALID_ARGUMENT.
absl::Status ResolveModels(const ModelsOfFile& file, ServerConfig* config);
absl::Status ResolvePivots(ServerConfig* config);

}  // namespace dragoman::server
