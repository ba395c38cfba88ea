// Decides which models and pivots are served. Uses the flags, the configuration file and
// --models-dir.
//
// Part of config.h. Pure, except that it lists --models-dir and looks for fetched models.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/settings/config.h"

namespace dragoman::server {

// The path of a configuration file, and the JSON of the file's `models`. These are read after the
// flags have set the defaults of all models.
struct ModelsOfFile {
  std::string path;
  bool is_regular = true;  // false: a pipe, which can be read once
  nlohmann::json models = nlohmann::json::array();
};

// SetModelOption's argument `where` for settings of a request (OverrideSettings).
inline constexpr std::string_view kSettingsOfRequest = "settings: ";

// Sets one setting of a model. `name` is the setting's flag. `value` has a JSON type that fits the
// setting. If `where` is kSettingsOfRequest, it is the text that would follow the flag instead.
// Returns INVALID_ARGUMENT, which names `where`, for a wrong value or a name that is not a setting
// of a model. Defined in config.cc.
absl::Status SetModelOption(const std::string& name, const std::string& where,
                            const nlohmann::json& value, ModelSettings* model);

// Checks a model's own settings as far as that is possible without examining the machine.
absl::Status CheckModel(const ModelSettings& settings);

// ResolveModels fills in config->models and the default model. ResolvePivots fills in
// config->pivots. Both return INVALID_ARGUMENT if the settings of models or pivots are wrong.
absl::Status ResolveModels(const ModelsOfFile& file, ServerConfig* config);
absl::Status ResolvePivots(ServerConfig* config);

}  // namespace dragoman::server
