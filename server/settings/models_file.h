// The file of --models-file: which models are to be served other than flags and --config say. People
// write it, and AdminService does where --admin-writes is on.
//
//   {"models": [{"name": "de-en", "directory": "/models/de-en-2", "settings": {"max-rows": "64"},
//                "canary": {"directory": "/models/de-en-3", "settings": {}, "percent": 10}}],
//    "unloaded": ["fr-en"]}
//
// What it names wins over flags and --config, name by name: a model has its directory (or where that
// is left out the one of the flags) and its settings, over those that the flags give the model of
// that name, or all models; the models of "unloaded" are not served. What it does not name is as the
// flags say. A file that does not exist says nothing.
//
// Part of config.h. Pure but for the disk.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/settings/config.h"
#include "server/settings/desired_models.h"

namespace dragoman {

// INVALID_ARGUMENT names the file, the place and what was expected there; UNAVAILABLE: it is there
// and cannot be read.
absl::StatusOr<DesiredModels> ReadModelsFile(const std::string& path);

// FAILED_PRECONDITION: the file, or the folder that it is in, cannot be written, and why.
absl::Status CheckModelsFileWritable(const std::string& path);

// Replaces the file as a whole: whoever reads it finds what was there or `desired`, also after a
// crash. A link stays, and the file that it names is replaced. UNAVAILABLE if that fails, and the old
// file is still there.
absl::Status WriteModelsFile(const std::string& path, const DesiredModels& desired);

// The percentage as parts of 10,000: 0 to 100 in steps of 0.01. nullopt for any other number.
std::optional<int> ShareOfPercent(double percent);

// The settings of one model: `base` with what the file says of it. INVALID_ARGUMENT, naming it.
absl::StatusOr<ModelSettings> SettingsOf(ModelSettings base, const std::string& name,
                                         const DesiredModel& desired);
absl::StatusOr<ModelSettings> CanarySettingsOf(ModelSettings model, const DesiredCanary& canary);

// Puts what the file of config->models_file says into config->models and config->canaries, and keeps
// in config->configured what the flags say, and in config->desired what the file says.
// INVALID_ARGUMENT; also where no model is left.
absl::Status ApplyModelsFile(ServerConfig* config);

}  // namespace dragoman
