#include "server/settings/models_config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "server/base/quoted.h"
#include "server/settings/option_values.h"

namespace dragoman::server {
namespace {

// A package of Argos Translate is a file with this ending.
constexpr std::string_view kPackageEnding = ".argosmodel";

// Returns the name of a directory, or of a package without its extension.
std::string NameOfModel(const std::filesystem::path& path) {
  return path.extension() == kPackageEnding ? path.stem().string() : path.filename().string();
}

ModelSettings MakeModel(const ServerConfig& config, std::string name, std::string directory) {
  ModelSettings model = config;  // the defaults of all models
  model.model_name = std::move(name);
  model.model_directory = std::move(directory);
  return model;
}

// Returns the folders in which fetched models are looked for, by the rule of models_folder in
// client/fetch/fetch.py. A service with a user of its own also sees what root has fetched.
std::vector<std::string> FetchedFolders() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (std::string folder = variable("DRAGOMAN_MODELS"); !folder.empty()) return {folder};
  std::vector<std::string> folders;
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) {
    folders.push_back(data + "/dragoman/models");
  } else if (const std::string home = variable("HOME"); !home.empty()) {
    folders.push_back(home + "/.local/share/dragoman/models");
  }
  folders.emplace_back("/var/lib/dragoman/models");
  return folders;
}

// Returns the directory of the fetched model with this name. Returns `directory` itself if it is a
// path, if it exists, or if there is no such model.
std::string FindFetched(const std::string& directory) {
  std::error_code error;
  if (directory.empty() || directory.front() == '.' || directory.find('/') != directory.npos ||
      std::filesystem::exists(directory, error)) {
    return directory;
  }
  for (const std::string& folder : FetchedFolders()) {
    const std::string model = absl::StrCat(folder, "/", directory);
    if (std::filesystem::exists(model + "/.dragoman-fetch.json", error)) return model;
  }
  return directory;
}

// Reads a value of --model: DIR or NAME=DIR. DIR may be the name of a fetched model.
absl::StatusOr<ModelSettings> ModelOfFlag(const ServerConfig& config, const std::string& text) {
  ModelSettings model;
  const size_t equals = text.find('=');
  // The text before '=' is a name only if it has no '/', because directories may contain '='.
  if (equals != std::string::npos && text.find('/') > equals) {
    model = MakeModel(config, text.substr(0, equals), text.substr(equals + 1));
  } else {
    std::filesystem::path path = std::filesystem::path(text).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    if (path == "." || path.filename() == "..") {
      std::error_code error;
      path = std::filesystem::weakly_canonical(text, error);
    }
    model = MakeModel(config, NameOfModel(path), text);
  }
  if (model.model_directory.empty()) {
    return Refuse("--", "model", Quoted(text), "a directory after NAME=");
  }
  model.model_directory = FindFetched(model.model_directory);
  if (!IsModelName(model.model_name)) {
    return Refuse("--", "model", absl::StrCat("the name ", Quoted(model.model_name)),
                  absl::StrCat(kModelNameCharacters, " (give one with NAME=DIR)"));
  }
  return model;
}

// Reads a value of --ensemble: NAME=DIR,DIR,... A DIR may be the name of a model in `models`.
absl::StatusOr<ModelSettings> EnsembleOfFlag(const ServerConfig& config, const std::string& text,
                                             const std::vector<ModelSettings>& models) {
  const size_t equals = text.find('=');
  std::vector<std::string> members =
      absl::StrSplit(equals == std::string::npos ? "" : text.substr(equals + 1), ',');
  const std::string name = text.substr(0, equals);
  const bool empty = std::find(members.begin(), members.end(), "") != members.end();
  if (equals == std::string::npos || !IsModelName(name) || empty || members.size() < 2 ||
      members.size() > kernels::kMaxEnsembleMembers) {
    return Refuse(
        "--", "ensemble", Quoted(text),
        absl::StrCat("NAME=DIR,DIR with 2 to ", kernels::kMaxEnsembleMembers, " members"));
  }
  for (std::string& member : members) {
    const auto named = std::find_if(models.begin(), models.end(), [&](const ModelSettings& model) {
      return model.model_name == member;
    });
    if (named == models.end()) continue;
    if (!named->ensemble.directories.empty()) {
      return Refuse("--", "ensemble", absl::StrCat("the ensemble ", member, " in ", Quoted(text)),
                    "models as members");
    }
    member = named->model_directory;
  }
  ModelSettings model = MakeModel(config, name, members.front());
  members.erase(members.begin());
  model.ensemble.directories = std::move(members);
  return model;
}

// Sets the directory of a model in the file. An array has the directories of an ensemble's members.
absl::Status SetDirectories(const std::string& where, const nlohmann::json& value,
                            ModelSettings* model) {
  const nlohmann::json list = value.is_array() ? value : nlohmann::json::array({value});
  const auto is_text = [](const nlohmann::json& one) { return one.is_string() && one != ""; };
  if (list.empty() || list.size() > kernels::kMaxEnsembleMembers ||
      !std::all_of(list.begin(), list.end(), is_text)) {
    return Refuse(
        where + ": ", "directory", value.dump(),
        absl::StrCat("a string, or 2 to ", kernels::kMaxEnsembleMembers, " for an ensemble"));
  }
  model->model_directory = list.front().get<std::string>();
  model->ensemble.directories.assign(list.begin() + 1, list.end());
  return absl::OkStatus();
}

// Reads one of the file's `models`: its name, directory and own settings.
absl::StatusOr<ModelSettings> ModelOfFile(const ServerConfig& config, const std::string& where,
                                          const nlohmann::json& json) {
  if (!json.is_object()) return Refuse(where, "", json.type_name(), "a JSON object");
  ModelSettings model = MakeModel(config, "", "");
  for (const auto& [key, value] : json.items()) {
    if (key == "name") {
      if (!value.is_string()) return Refuse(where + ": ", key, value.type_name(), "a string");
      model.model_name = value.get<std::string>();
      continue;
    }
    if (key == "directory") {
      if (absl::Status status = SetDirectories(where, value, &model); !status.ok()) return status;
      continue;
    }
    const absl::Status status = SetModelOption(key, where + ": ", value, &model);
    if (!status.ok()) return status;
  }
  if (!IsModelName(model.model_name)) {
    return Refuse(where + ": ", "name", Quoted(model.model_name), kModelNameCharacters);
  }
  if (model.model_directory.empty()) return Refuse(where + ": ", "directory", "nothing", "one");
  const absl::Status status = CheckModel(model);
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
  }
  return model;
}

// Reports whether the path may be a model: a package, or a directory with some file of a model.
// Models of Hugging Face and CTranslate2 have a config.json and those of Argos a metadata.json.
// Marian's may have neither.
bool MayHoldModel(const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_regular_file(directory, error)) return directory.extension() == kPackageEnding;
  for (const char* file : {"config.json", "metadata.json"}) {
    if (fs::exists(directory / file, error)) return true;
  }
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path extension = entry->path().extension();
    if (extension == ".npz" || extension == ".bin") return true;
  }
  return false;
}

// Adds the models of --models-dir in order of their names.
absl::Status AddModelsOfDirectory(const ServerConfig& config, std::vector<ModelSettings>* models) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::map<std::string, std::string> found_models;  // directories, by the names of their models
  for (fs::directory_iterator entry(config.models_dir, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!MayHoldModel(entry->path())) continue;
    const auto [model, is_new] =
        found_models.emplace(NameOfModel(entry->path()), entry->path().string());
    if (is_new) continue;
    return Refuse("--", "models-dir",
                  absl::StrCat("two models named ", model->first, ", ", Quoted(model->second),
                               " and ", Quoted(entry->path().string())),
                  "a name for each");
  }
  const std::string found = Quoted(config.models_dir);
  if (error) {
    return Refuse("--", "models-dir", absl::StrCat(found, " (", error.message(), ")"),
                  "a directory that can be read");
  }
  if (found_models.empty()) {
    return Refuse(
        "--", "models-dir", absl::StrCat("no model in ", found),
        "directories with a config.json, an .npz, a .bin or a metadata.json, or packages, "
        "*.argosmodel");
  }
  for (const auto& [name, directory] : found_models) {
    if (!IsModelName(name)) {
      return Refuse("--", "models-dir", absl::StrCat("the name ", Quoted(name)),
                    kModelNameCharacters);
    }
    models->push_back(MakeModel(config, name, directory));
  }
  return absl::OkStatus();
}

// Checks that an ensemble has either no weights or one weight for each member.
absl::Status CheckEnsemble(const ModelSettings& model) {
  const engine::EnsembleChoice& choice = model.ensemble;
  if (choice.directories.empty() || choice.weights.empty()) return absl::OkStatus();
  if (choice.weights.size() == choice.directories.size() + 1) return absl::OkStatus();
  return Refuse("--", "ensemble-weights", Quoted(absl::StrJoin(choice.weights, ",")),
                absl::StrCat(choice.directories.size() + 1, " weights, one for each member of ",
                             model.model_name));
}

// Checks the setting as far as that is possible without the model. The engine checks the rest.
absl::Status CheckShortlist(const ModelSettings& model) {
  if (!model.lexical_shortlist) return absl::OkStatus();
  if (!model.ensemble.directories.empty()) {
    return Refuse("--", "lexical-shortlist", absl::StrCat("on for the ensemble ", model.model_name),
                  "off, or on for one model alone");
  }
  if (!model.devices.cuda.empty()) {
    return Refuse("--", "lexical-shortlist",
                  absl::StrCat("on with --device ", engine::DeviceText(model.devices)),
                  "off, or on with --device cpu: shortlists are used nowhere else");
  }
  return absl::OkStatus();
}

// Checks the setting as far as that is possible without the device. The engine checks the rest.
absl::Status CheckOutputProducts(const ModelSettings& model) {
  const kernels::QuantizedType products = model.cuda.output_products;
  if (products == kernels::QuantizedType::kNone) return absl::OkStatus();
  const auto refuse = [&](const char* with) {
    return Refuse("cuda: ", "output-products",
                  absl::StrCat(kernels::QuantizedTypeName(products), with),
                  "model, or a GPU, on which alone it has an effect");
  };
  if (!model.devices.automatic && model.devices.cuda.empty()) return refuse(" with --device cpu");
  if (!model.cuda.fused_output) return refuse(" with DRAGOMAN_CUDA_OFF=fused-output");
  return absl::OkStatus();
}

absl::Status CheckLayerProducts(const ModelSettings& model) {
  const kernels::QuantizedType products = model.cuda.layer_products;
  if (products == kernels::QuantizedType::kNone) return absl::OkStatus();
  if (products == kernels::QuantizedType::kFloat8) {
    return Refuse("cuda: ", "layer-products", "float8",
                  "model or int8: sums of float8 depend on their order, and with it a translation "
                  "on how many rows are beside it");
  }
  if (model.devices.automatic || !model.devices.cuda.empty()) return absl::OkStatus();
  return Refuse("cuda: ", "layer-products",
                absl::StrCat(kernels::QuantizedTypeName(products), " with --device cpu"),
                "model, or a GPU, on which alone it has an effect");
}

std::string NamesOf(const std::vector<ModelSettings>& models) {
  std::vector<std::string> names;
  for (const ModelSettings& model : models) names.push_back(model.model_name);
  return absl::StrJoin(names, ", ");
}

}  // namespace

absl::Status CheckModel(const ModelSettings& settings) {
  const absl::Status status = engine::CheckDevices(settings.devices);
  if (!status.ok()) return absl::Status(status.code(), absl::StrCat("--", status.message()));
  const engine::SchedulerOptions defaults;
  const engine::SchedulerOptions& scheduler = settings.scheduler;
  const bool has_threshold =
      scheduler.eps_num != defaults.eps_num || scheduler.eps_den != defaults.eps_den;
  if (has_threshold && scheduler.refill != engine::RefillRule::kStream) {
    return Refuse("schedule: ", "threshold",
                  absl::StrCat(scheduler.eps_num, "/", scheduler.eps_den),
                  "one only with refill stream");
  }
  if (absl::Status status = CheckLayerProducts(settings); !status.ok()) return status;
  return CheckOutputProducts(settings);
}

absl::Status ResolveModels(const ModelsOfFile& file, ServerConfig* config) {
  std::vector<ModelSettings>& models = config->models;
  for (const std::string& text : config->model) {
    absl::StatusOr<ModelSettings> model = ModelOfFlag(*config, text);
    if (!model.ok()) return model.status();
    models.push_back(*std::move(model));
  }
  for (size_t i = 0; i < file.models.size(); ++i) {
    absl::StatusOr<ModelSettings> model =
        ModelOfFile(*config, absl::StrCat(file.path, ": models[", i, "]"), file.models[i]);
    if (!model.ok()) return model.status();
    models.push_back(*std::move(model));
  }
  const size_t alone = models.size();
  for (const std::string& text : config->ensembles) {
    const std::vector<ModelSettings> known(models.begin(),
                                           models.begin() + static_cast<ptrdiff_t>(alone));
    absl::StatusOr<ModelSettings> model = EnsembleOfFlag(*config, text, known);
    if (!model.ok()) return model.status();
    models.push_back(*std::move(model));
  }
  if (!config->models_dir.empty()) {
    absl::Status status = AddModelsOfDirectory(*config, &models);
    if (!status.ok()) return status;
  }
  if (models.empty()) {
    return absl::InvalidArgumentError(
        "--model: found nothing, expected a model to serve:\n"
        "  dragoman fetch en-pt      downloads one; dragoman fetch --list shows what there is\n"
        "  dragomand --model en-pt   serves it; --model DIR serves a directory, --help has the "
        "rest");
  }
  std::set<std::string> names;
  for (const ModelSettings& model : models) {
    if (!names.insert(model.model_name).second) {
      return Refuse("--", "model", absl::StrCat("two models named ", Quoted(model.model_name)),
                    "a name of its own for each (NAME=DIR)");
    }
    if (absl::Status status = CheckEnsemble(model); !status.ok()) return status;
    if (absl::Status status = CheckShortlist(model); !status.ok()) return status;
  }
  if (!config->default_model.empty()) {
    const auto at = std::find_if(models.begin(), models.end(), [&](const ModelSettings& model) {
      return model.model_name == config->default_model;
    });
    if (at == models.end()) {
      return Refuse("--", "default-model", Quoted(config->default_model),
                    absl::StrCat("one of ", NamesOf(models)));
    }
    std::rotate(models.begin(), at, at + 1);
  }
  config->model_name = models[0].model_name;
  config->ensemble = models[0].ensemble;
  config->model_directory = models[0].model_directory;
  return absl::OkStatus();
}

absl::Status ResolvePivots(ServerConfig* config) {
  std::set<std::string> names;
  for (const ModelSettings& model : config->models) names.insert(model.model_name);
  const std::set<std::string> models = names;
  for (const std::string& text : config->pivot) {
    PivotSettings pivot;
    const size_t equals = text.find('=');
    const std::string legs = equals == std::string::npos ? text : text.substr(equals + 1);
    const size_t plus = legs.find('+');
    pivot.first = legs.substr(0, plus);
    pivot.second = plus == std::string::npos ? "" : legs.substr(plus + 1);
    pivot.name = equals == std::string::npos ? legs : text.substr(0, equals);
    const bool named = equals == std::string::npos || IsModelName(pivot.name);
    if (!named || !models.contains(pivot.first) || !models.contains(pivot.second)) {
      return Refuse(
          "--", "pivot", Quoted(text),
          absl::StrCat("[NAME=]FIRST+SECOND, two of the models ", NamesOf(config->models)));
    }
    if (!names.insert(pivot.name).second) {
      return Refuse("--", "pivot", absl::StrCat("a second model named ", Quoted(pivot.name)),
                    "a name of its own (NAME=FIRST+SECOND)");
    }
    config->pivots.push_back(std::move(pivot));
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelSettings> OverrideSettings(ModelSettings model,
                                               const std::map<std::string, std::string>& settings) {
  for (const auto& [name, value] : settings) {
    const absl::Status status =
        SetModelOption(name, std::string(kSettingsOfRequest), value, &model);
    if (!status.ok()) return status;
  }
  absl::Status status = CheckModel(model);
  if (status.ok()) status = CheckEnsemble(model);
  if (status.ok()) status = CheckShortlist(model);
  if (!status.ok()) return status;
  return model;
}

bool IsModelName(std::string_view name) {
  if (name == "." || name == "..") return false;  // these have a meaning in paths
  return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

}  // namespace dragoman::server
