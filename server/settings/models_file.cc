#include "server/settings/models_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/limited_json.h"
#include "server/base/quoted.h"
#include "server/settings/option_values.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr JsonLimits kModelsFileLimits = {
    .max_bytes = size_t{1} << 20, .max_depth = 8, .max_values = 1 << 16};
constexpr int kWhole = 10'000;

std::string Error() { return std::strerror(errno); }

// The file itself, where the path is a link.
std::string FileAt(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

std::string FolderOf(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

absl::Status ReadString(const std::string& where, const char* key, const json& value,
                        std::string* to) {
  if (!value.is_string()) return Refuse(where, key, value.type_name(), "a string");
  *to = value.get<std::string>();
  return absl::OkStatus();
}

absl::Status ReadSettings(const std::string& where, const json& value, SettingTexts* to) {
  if (!value.is_object()) return Refuse(where, "settings", value.type_name(), "an object");
  for (const auto& [name, text] : value.items()) {
    if (!text.is_string()) {
      return Refuse(where + "settings: ", name, text.type_name(), "a string, as after --" + name);
    }
    (*to)[name] = text.get<std::string>();
  }
  return absl::OkStatus();
}

absl::Status ReadCanary(const std::string& where, const json& value, DesiredCanary* to) {
  if (!value.is_object()) return Refuse(where, "canary", value.type_name(), "an object");
  const std::string inside = where + "canary: ";
  bool has_percent = false;
  for (const auto& [key, one] : value.items()) {
    absl::Status status;
    if (key == "directory") {
      status = ReadString(inside, "directory", one, &to->directory);
    } else if (key == "settings") {
      status = ReadSettings(inside, one, &to->settings);
    } else if (key == "percent") {
      const std::optional<int> share =
          one.is_number() ? ShareOfPercent(one.get<double>()) : std::nullopt;
      if (!share.has_value()) {
        return Refuse(inside, "percent", one.dump(), "0 to 100, in steps of 0.01");
      }
      to->share = *share;
      has_percent = true;
    } else {
      return Refuse(inside, Quoted(key), "an unknown key", "directory, settings or percent");
    }
    if (!status.ok()) return status;
  }
  if (to->directory.empty()) return Refuse(inside, "directory", "nothing", "one");
  if (!has_percent) return Refuse(inside, "percent", "nothing", "0 to 100");
  return absl::OkStatus();
}

absl::Status ReadModel(const std::string& where, const json& value, DesiredModels* to) {
  if (!value.is_object()) return Refuse(where, "", value.type_name(), "an object");
  const std::string inside = where + ": ";
  std::string name;
  DesiredModel model;
  for (const auto& [key, one] : value.items()) {
    absl::Status status;
    if (key == "name") {
      status = ReadString(inside, "name", one, &name);
    } else if (key == "directory") {
      status = ReadString(inside, "directory", one, &model.directory);
    } else if (key == "settings") {
      status = ReadSettings(inside, one, &model.settings);
    } else if (key == "canary") {
      status = ReadCanary(inside, one, &model.canary.emplace());
    } else {
      return Refuse(inside, Quoted(key), "an unknown key", "name, directory, settings or canary");
    }
    if (!status.ok()) return status;
  }
  if (!IsModelName(name)) return Refuse(inside, "name", Quoted(name), kModelNameCharacters);
  if (to->models.emplace(name, std::move(model)).second) return absl::OkStatus();
  return Refuse(inside, "name", absl::StrCat("a second ", Quoted(name)), "one entry for each");
}

absl::StatusOr<DesiredModels> Parse(const std::string& path, const std::string& text) {
  const absl::StatusOr<json> parsed = ParseJson(text, path, kModelsFileLimits);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->is_object()) return Refuse(path, "", parsed->type_name(), "a JSON object");
  const std::string where = path + ": ";
  DesiredModels out;
  for (const auto& [key, value] : parsed->items()) {
    if (key != "models" && key != "unloaded") {
      return Refuse(where, Quoted(key), "an unknown key", "models or unloaded");
    }
    if (!value.is_array()) return Refuse(where, key, value.type_name(), "an array");
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string place = absl::StrCat(where, key, "[", i, "]");
      if (key == "models") {
        if (absl::Status status = ReadModel(place, value[i], &out); !status.ok()) return status;
        continue;
      }
      const bool is_name = value[i].is_string() && IsModelName(value[i].get<std::string>());
      if (!is_name) return Refuse(place, "", value[i].dump(), "the name of a model");
      out.unloaded.insert(value[i].get<std::string>());
    }
  }
  for (const auto& [name, model] : out.models) {
    if (out.unloaded.contains(name)) {
      return Refuse(where, "unloaded", Quoted(name), "a model that is not among models");
    }
  }
  return out;
}

std::string TextOf(const DesiredModels& desired) {
  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  for (const auto& [name, model] : desired.models) {
    nlohmann::ordered_json one = {{"name", name}};
    if (!model.directory.empty()) one["directory"] = model.directory;
    if (!model.settings.empty()) one["settings"] = model.settings;
    if (model.canary.has_value()) {
      one["canary"] = {{"directory", model.canary->directory},
                       {"settings", model.canary->settings},
                       {"percent", model.canary->share * 100.0 / kWhole}};
    }
    models.push_back(std::move(one));
  }
  const nlohmann::ordered_json all = {{"models", std::move(models)},
                                      {"unloaded", desired.unloaded}};
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

// Writes all of it, to the disk; "" or what failed.
std::string WriteThrough(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return Error();
    text.remove_prefix(static_cast<size_t>(done));
  }
  return fsync(fd) == 0 ? "" : Error();
}

}  // namespace

std::optional<int> ShareOfPercent(double percent) {
  if (!(percent >= 0 && percent <= 100)) return std::nullopt;
  const double parts = percent * (kWhole / 100);
  const double whole = std::round(parts);
  return std::abs(parts - whole) < 1e-6 ? std::optional(static_cast<int>(whole)) : std::nullopt;
}

absl::StatusOr<DesiredModels> ReadModelsFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return DesiredModels();
  const auto unreadable = [&path](const std::string& why) {
    return absl::UnavailableError(absl::StrCat(path, ": ", why));
  };
  if (fd < 0) return unreadable(Error());
  std::string text;
  std::vector<char> piece(1 << 16);
  ssize_t got = 0;
  struct stat found {};
  std::string wrong;
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
    wrong = "found something else, expected a regular file";
  }
  while (wrong.empty() && text.size() <= kModelsFileLimits.max_bytes &&
         (got = read(fd, piece.data(), piece.size())) != 0) {
    if (got < 0 && errno != EINTR) wrong = Error();
    if (got > 0) text.append(piece.data(), static_cast<size_t>(got));
  }
  close(fd);
  if (!wrong.empty()) return unreadable(wrong);
  return Parse(path, text);
}

absl::Status CheckModelsFileWritable(const std::string& path) {
  const std::string target = FileAt(path);
  const std::string folder = FolderOf(target);
  const auto refuse = [](const std::string& what) {
    return absl::FailedPreconditionError(
        absl::StrCat("--admin-writes: ", what, ": found it not writable (", Error(),
                     "), expected to keep the change there; nothing was changed"));
  };
  if (access(folder.c_str(), W_OK | X_OK) != 0) return refuse(folder);
  if (access(target.c_str(), F_OK) == 0 && access(target.c_str(), W_OK) != 0) return refuse(target);
  return absl::OkStatus();
}

absl::Status WriteModelsFile(const std::string& path, const DesiredModels& desired) {
  const std::string target = FileAt(path);
  std::string beside = target + ".XXXXXX";
  const auto failed = [](const std::string& at, const std::string& why) {
    return absl::UnavailableError(absl::StrCat(at, ": ", why));
  };
  const int fd = mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) return failed(beside, Error());
  struct stat old {};
  // Others may have to read it, as they may read the old one.
  fchmod(fd, stat(target.c_str(), &old) == 0 ? old.st_mode & 0777U : 0644U);
  std::string why = WriteThrough(fd, TextOf(desired));
  close(fd);
  if (why.empty() && rename(beside.c_str(), target.c_str()) != 0) why = Error();
  if (!why.empty()) {
    unlink(beside.c_str());
    return failed(target, why);
  }
  // The folder too, so that the new name outlives a loss of power.
  const int folder = open(FolderOf(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelSettings> SettingsOf(ModelSettings base, const std::string& name,
                                         const DesiredModel& desired) {
  base.model_name = name;
  if (!desired.directory.empty()) base.model_directory = desired.directory;
  if (base.model_directory.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("model ", name, ": found no directory, expected one"));
  }
  absl::StatusOr<ModelSettings> model = OverrideSettings(std::move(base), desired.settings);
  if (model.ok()) return model;
  return absl::InvalidArgumentError(absl::StrCat("model ", name, ": ", model.status().message()));
}

absl::StatusOr<ModelSettings> CanarySettingsOf(ModelSettings model, const DesiredCanary& canary) {
  const std::string name = model.model_name;
  return SettingsOf(std::move(model), name, {canary.directory, canary.settings, std::nullopt});
}

absl::Status ApplyModelsFile(ServerConfig* config) {
  config->configured = config->models;
  if (config->models_file.empty()) return absl::OkStatus();
  const absl::StatusOr<DesiredModels> desired = ReadModelsFile(config->models_file);
  if (!desired.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--models-file: ", desired.status().message()));
  }
  const auto of_file = [config](const absl::Status& status) {
    return absl::InvalidArgumentError(
        absl::StrCat("--models-file: ", config->models_file, ": ", status.message()));
  };
  config->desired = *desired;
  std::vector<ModelSettings>& models = config->models;
  for (const auto& [name, one] : desired->models) {
    const auto at = std::find_if(
        models.begin(), models.end(),
        [&name = name](const ModelSettings& model) { return model.model_name == name; });
    ModelSettings base = *config;
    base.model_directory.clear();
    base.ensemble = {};
    absl::StatusOr<ModelSettings> settings = SettingsOf(at == models.end() ? base : *at, name, one);
    if (!settings.ok()) return of_file(settings.status());
    if (one.canary.has_value()) {
      absl::StatusOr<ModelSettings> canary = CanarySettingsOf(*settings, *one.canary);
      if (!canary.ok()) return of_file(canary.status());
      config->canaries.push_back({*std::move(canary), one.canary->share});
    }
    if (at == models.end()) {
      models.push_back(*std::move(settings));
    } else {
      *at = *std::move(settings);
    }
  }
  std::erase_if(models, [&](const ModelSettings& model) {
    return desired->unloaded.contains(model.model_name);
  });
  if (models.empty()) {
    return Refuse("--", "model", "nothing that --models-file does not unload", "a model to serve");
  }
  config->model_name = models[0].model_name;
  config->ensemble = models[0].ensemble;
  config->model_directory = models[0].model_directory;
  return absl::OkStatus();
}

}  // namespace dragoman
