#include "server/models/model_manager.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/allocator.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/base/steady_clock.h"
#include "server/models/model_budget.h"
#include "server/models/model_files.h"

namespace dragoman::server {
namespace {

absl::Status OfModel(const std::string& name, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("model ", name, ": ", status.message()));
}

}  // namespace

ModelManager::ModelManager(ModelTable* table, Metrics* metrics, const engine::Clock* clock,
                           ModelResources resources, ModelSettings defaults, DevicePlanner planner,
                           EngineLoader loader)
    : table_(table),
      metrics_(metrics),
      clock_(clock),
      resources_(resources),
      planner_(std::move(planner)),
      loader_(std::move(loader)),
      defaults_(std::move(defaults)) {}

ModelManager::~ModelManager() { Stop(); }

void ModelManager::Stop() {
  GiveUp();
  thread_.Stop();
}

bool ModelManager::StopWithin(std::chrono::nanoseconds patience) {
  GiveUp();
  return thread_.StopWithin(patience);
}

int64_t ModelManager::HostBytesHeld(std::string* sum) const {
  int64_t held = 0;
  for (const ModelStats& model : table_->Stats()) {
    for (const engine::DeviceMemory& memory : model.stats.memory) {
      if (memory.device != "cpu") continue;
      const int64_t bytes = memory.weights + memory.kv + memory.workspace;
      held += bytes;
      absl::StrAppend(sum, sum->empty() ? "" : " + ", bytes / kMiB, " of ", model.name);
    }
  }
  return held;
}

ModelShare ModelManager::HostShare() const {
  ModelShare share;
  std::string sum;
  share.memory.loaded_models = HostBytesHeld(&sum);
  share.memory.reserved = resources_.serving_bytes;
  share.memory.process = resources_.process_bytes;
  share.memory.reserved_now = serves_ ? resources_.serving_bytes : resources_.process_bytes;
  return share;
}

absl::StatusOr<DevicePlan> ModelManager::PlanOf(const ModelSettings& settings) const {
  for (const std::string& directory : DirectoriesOf(settings)) {
    if (absl::Status status = CheckModelPath(directory); !status.ok()) return status;
  }
  engine::LoadContext load(&gives_up_);
  try {
    return planner_(settings, HostShare(), &load);
  } catch (const std::exception& e) {
    return absl::ResourceExhaustedError(absl::StrCat("loading failed: ", e.what()));
  }
}

ModelShare ModelManager::ShareOf(const ModelSettings& settings, absl::StatusOr<DevicePlan> plan,
                                 const std::vector<ModelSettings>& to_come) const {
  ModelShare share = HostShare();
  share.plan = std::move(plan);
  if (!share.plan.ok()) return share;
  const int64_t left =
      resources_.host_bytes - resources_.serving_bytes - share.memory.loaded_models;
  share.memory.models_to_come = HostBytesToCome(left, settings, to_come);
  share.cpus_per_cache = resources_.cpus_per_cache;
  // A model keeps its share from LoadAll as long as it stays on the same devices.
  const auto known = shares_.find(settings.model_name);
  if (known != shares_.end() && known->second.plan->devices.cuda == share.plan->devices.cuda) {
    share.cpus = known->second.cpus;
    share.text_cpus = known->second.text_cpus;
    share.first_cpu = known->second.first_cpu;
    share.device_memory_fraction = known->second.device_memory_fraction;
    return share;
  }
  // Loaded models keep their shares. An older version of this model does not count.
  std::vector<ModelSettings> all;
  for (const auto& [name, other] : settings_) {
    const ModelPtr served = table_->Find(name);
    if (name == settings.model_name || served == nullptr) continue;
    all.push_back(OnDevices(other, {.devices = {.cuda = served->cuda}}));
  }
  all.push_back(OnDevices(settings, *share.plan));
  share.cpus = DivideCpus(resources_.cpus, all).back();
  share.text_cpus = DivideTextCpus(resources_.cpus, all).back();
  share.first_cpu = resources_.cpus;
  share.device_memory_fraction = settings.device_memory_fraction;
  return share;
}

absl::Status ModelManager::LoadAll(const std::vector<ModelSettings>& models,
                                   const std::vector<PivotSettings>& pivots) {
  pivots_ = pivots;
  for (const PivotSettings& pivot : pivots) {
    pivot_series_[pivot.name] = metrics_->ForPivot(pivot.name);
  }
  std::vector<DevicePlan> plans;
  std::vector<ModelSettings> placed;
  for (const ModelSettings& model : models) {
    const absl::StatusOr<DevicePlan> plan = PlanOf(model);
    if (!plan.ok()) {
      table_->Note(model.model_name, ModelState::kFailed);
      return OfModel(model.model_name, plan.status());
    }
    plans.push_back(*plan);
    placed.push_back(OnDevices(model, *plan));
  }
  const std::vector<size_t> order = LoadOrder(models);
  std::vector<ModelSettings> in_order;
  for (const size_t i : order) in_order.push_back(placed[i]);
  // The processors are divided in the order of `models`, so that the default, which is first, gets
  // part of the remainder.
  const std::vector<int> cpus = DivideCpus(resources_.cpus, placed);
  const std::vector<int> text_cpus = DivideTextCpus(resources_.cpus, placed);
  const absl::StatusOr<std::vector<double>> fractions =
      DivideDeviceMemory(in_order, defaults_.device_memory_fraction);
  if (!fractions.ok()) return fractions.status();
  for (size_t i = 0; i < order.size(); ++i) {
    ModelShare& share = shares_[in_order[i].model_name];
    share.plan = plans[order[i]];
    share.cpus = cpus[order[i]];
    share.text_cpus = text_cpus[order[i]];
    share.first_cpu =
        std::accumulate(cpus.begin(), cpus.begin() + static_cast<ptrdiff_t>(order[i]), 0);
    share.device_memory_fraction = (*fractions)[i];
  }
  for (size_t i = 0; i < in_order.size(); ++i) {
    const std::vector<ModelSettings> to_come(in_order.begin() + static_cast<ptrdiff_t>(i) + 1,
                                             in_order.end());
    const ModelSettings& model = models[order[i]];
    const absl::Status status =
        LoadVersion(model, ShareOf(model, plans[order[i]], to_come)).status();
    if (!status.ok()) return status;
    applied_[model.model_name] = model;
  }
  serves_ = true;
  return absl::OkStatus();
}

absl::StatusOr<ServedModel> ModelManager::MakeVersion(const ModelSettings& settings,
                                                      const ModelShare& share) {
  ServedModel model;
  model.name = settings.model_name;
  const std::vector<std::string> directories = DirectoriesOf(settings);
  model.directory = absl::StrJoin(directories, ",");
  model.observer = metrics_->ForModel(settings.model_name);
  const engine::Nanos begun = clock_->Now();
  engine::LoadContext load(&gives_up_);
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine =
      share.plan.ok() ? loader_(settings, share, model.observer.get(), &load)
                      : absl::StatusOr<std::unique_ptr<engine::Engine>>(share.plan.status());
  std::string sum;
  const int64_t held = HostBytesHeld(&sum);
  if (!serves_) start_peak_bytes_ = std::max(start_peak_bytes_, held + load.memory().peak());
  if (!engine.ok()) {
    if (engine.status().code() != absl::StatusCode::kResourceExhausted || held == 0) {
      return engine.status();
    }
    return absl::ResourceExhaustedError(absl::StrCat(engine.status().message(),
                                                     "; the models that are loaded hold ",
                                                     held / kMiB, " MiB: ", sum));
  }
  // Takes over the record of the files that the loader has read. The loader has checked their
  // contents.
  model.files = load.files().files();
  absl::StatusOr<std::string> checksum = ChecksumOfModels(model.files, directories, &load);
  const std::string changed = engine::FirstChanged(model.files);
  if (!changed.empty() && checksum.status().code() != absl::StatusCode::kCancelled) {
    return absl::AbortedError(
        absl::StrCat(changed,
                     ": changed while it was read, expected it to stay; write "
                     "a new version elsewhere and rename it"));
  }
  if (!checksum.ok()) return checksum.status();
  model.checksum = *std::move(checksum);
  model.engine = *std::move(engine);
  model.cuda = share.plan->devices.cuda;
  model.load_duration = clock_->Now() - begun;
  model.loaded_at = UnixNow();
  return model;
}

absl::StatusOr<ModelPtr> ModelManager::LoadVersion(const ModelSettings& settings,
                                                   const ModelShare& share) {
  const std::string& name = settings.model_name;
  Log(LogLevel::kInfo, "loading model",
      {{"model", name}, {"directory", absl::StrJoin(DirectoriesOf(settings), ",")}});
  table_->Note(name, ModelState::kLoading);
  absl::StatusOr<ModelPtr> put = absl::InternalError("");
  try {
    absl::StatusOr<ServedModel> made = MakeVersion(settings, share);
    put = made.ok() ? table_->Put(*std::move(made)) : absl::StatusOr<ModelPtr>(made.status());
  } catch (const std::exception& e) {
    put = absl::ResourceExhaustedError(absl::StrCat("loading failed: ", e.what()));
  }
  GiveBackFreeMemory();  // temporary memory of loading, or all memory of a failed load
  if (!put.ok()) {
    table_->Note(name, ModelState::kFailed);
    return OfModel(name, put.status());
  }
  settings_[name] = settings;
  Log(LogLevel::kInfo, "model loaded",
      {{"model", name},
       {"version", (*put)->version},
       {"checksum", (*put)->checksum},
       {"seconds", ToSeconds((*put)->load_duration)}});
  return put;
}

absl::StatusOr<ModelPtr> ModelManager::Replace(const ModelSettings& settings) {
  absl::StatusOr<ModelPtr> loaded = LoadVersion(settings, ShareOf(settings, PlanOf(settings), {}));
  metrics_->Find(settings.model_name)->OnReload(loaded.ok());
  if (!loaded.ok()) {
    const bool serving = table_->Find(settings.model_name) != nullptr;
    Log(LogLevel::kError, "model not loaded",
        {{"model", settings.model_name},
         {"directory", settings.model_directory},
         {"serving", serving ? "the version before" : "none"},
         {"error", std::string(loaded.status().message())}});
  }
  return loaded;
}

absl::Status ModelManager::NoSuchModel(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& [known, settings] : settings_) names.push_back(known);
  const ModelPtr present = table_->Find(name);
  return absl::NotFoundError(absl::StrCat("name: found ", Quoted(name),
                                          present != nullptr && present->is_pivot()
                                              ? ", a pivot, which comes and goes with its models"
                                              : "",
                                          ", expected one of ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<ModelPtr> ModelManager::Load(const std::string& name, const std::string& directory,
                                            const std::map<std::string, std::string>& settings) {
  if (!IsModelName(name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("name: found ", Quoted(name), ", expected 1 to 128 ", kModelNameCharacters));
  }
  const ModelPtr present = table_->Find(name);
  if (present != nullptr && present->is_pivot()) {
    return absl::InvalidArgumentError(
        absl::StrCat("name: found ", Quoted(name), ", a pivot, expected another name"));
  }
  const auto known = settings_.find(name);
  if (directory.empty() && known == settings_.end()) return NoSuchModel(name);
  if (absl::Status status = CheckDirectory(directory); !status.ok()) return status;
  ModelSettings base = known == settings_.end() ? defaults_ : known->second;
  // Without a served model, `base` has the ensemble of the default model.
  if (known == settings_.end()) base.ensemble.directories.clear();
  base.model_name = name;
  if (!directory.empty()) base.model_directory = directory;
  const absl::StatusOr<ModelSettings> model = OverrideSettings(std::move(base), settings);
  if (!model.ok()) return model.status();
  return Replace(*model);
}

absl::StatusOr<bool> ModelManager::IsUnchanged(const ServedModel& model,
                                               const ModelSettings& settings) const {
  const std::vector<std::string> directories = DirectoriesOf(settings);
  if (model.directory != absl::StrJoin(directories, ",")) return false;
  if (engine::FirstChanged(model.files).empty()) return true;
  // A file may have been rewritten with the same bytes, so the checksums are compared. They do not
  // show files that were added or deleted.
  if (!engine::FirstAddedOrGone(model.files).empty()) return false;
  const engine::LoadContext look(&gives_up_);
  const absl::StatusOr<std::string> checksum = ChecksumOfModels(model.files, directories, &look);
  if (checksum.status().code() == absl::StatusCode::kCancelled) return checksum.status();
  return checksum.ok() && *checksum == model.checksum;
}

absl::Status ModelManager::ReloadGlossariesOf(const ServedModel& model) {
  engine::LoadContext load(&gives_up_);
  if (resources_.host_bytes > 0) {
    std::string sum;
    const int64_t held = HostBytesHeld(&sum);
    load.memory().SetLimit(resources_.host_bytes - resources_.serving_bytes - held,
                           absl::StrCat(resources_.host_bytes_of, " has ",
                                        resources_.host_bytes / kMiB, " MiB, of which models hold ",
                                        held / kMiB, " MiB and requests and the process ",
                                        resources_.serving_bytes / kMiB, " MiB"));
  }
  return model.engine->ReloadGlossaries(&load);
}

absl::StatusOr<ModelManager::Reloaded> ModelManager::Reload(const std::string& name,
                                                            bool only_if_changed) {
  const auto known = settings_.find(name);
  const ModelPtr present = table_->Find(name);
  if (known == settings_.end() || present == nullptr) return NoSuchModel(name);
  if (only_if_changed) {
    const absl::StatusOr<bool> unchanged = IsUnchanged(*present, known->second);
    if (!unchanged.ok()) return unchanged.status();
    if (*unchanged) {
      table_->ForgetFailure(name);  // the files are those of the served version again
      return Reloaded{present, false};
    }
  }
  const ModelSettings settings = known->second;
  absl::StatusOr<ModelPtr> loaded = Replace(settings);
  if (!loaded.ok()) return loaded.status();
  return Reloaded{*std::move(loaded), true};
}

absl::StatusOr<int64_t> ModelManager::Unload(const std::string& name) {
  if (settings_.find(name) == settings_.end()) {
    if (table_->ForgetFailure(name)) return 0;
    return NoSuchModel(name);
  }
  return TakeOut(name);
}

absl::StatusOr<int64_t> ModelManager::TakeOut(const std::string& name) {
  if (settings_.size() == 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("name: found ", Quoted(name), ", the only model, expected one of several"));
  }
  int64_t calls = 0;
  if (const ModelPtr present = table_->Find(name)) calls = present->engine->jobs_in_flight();
  table_->Remove(name);
  settings_.erase(name);
  shares_.erase(name);
  Log(LogLevel::kInfo, "model unloaded", {{"model", name}, {"calls_left", calls}});
  return calls;
}

}  // namespace dragoman::server
