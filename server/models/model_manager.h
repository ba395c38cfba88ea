// Changes the models that the table serves: loads models and new versions, and removes models. A
// new version is loaded and warmed up while the old one serves, and then replaces it. A failed load
// changes nothing.
//
// Changes run one after another on the manager's thread. Post is thread-safe. The methods for the
// manager's thread may be called from posted tasks, and before Start.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/base/clock.h"
#include "engine/base/load_context.h"
#include "server/base/task_thread.h"
#include "server/models/model_budget.h"
#include "server/models/model_table.h"
#include "server/observe/metrics.h"
#include "server/settings/config.h"

namespace dragoman::server {

// Decides where a model runs. Reads the model's files if the decision depends on them. Of `share`,
// only the fields for host memory are set. Errors and `load` are as for EngineLoader.
using DevicePlanner = std::function<absl::StatusOr<DevicePlan>(
    const ModelSettings& settings, const ModelShare& share, engine::LoadContext* load)>;

// Makes a model's engine within its share, on the devices of share.plan, and warms it up. May take
// minutes. Records in `load` the files that it reads. Ends with CANCELLED within seconds once
// `load` is given up.
using EngineLoader = std::function<absl::StatusOr<std::unique_ptr<engine::Engine>>(
    const ModelSettings& settings, const ModelShare& share, engine::EngineObserver* observer,
    engine::LoadContext* load)>;

struct ModelChange {
  enum class Kind : uint8_t { kUnchanged, kLoaded, kReloaded, kUnloaded, kFailed };
  std::string name;
  Kind kind = Kind::kUnchanged;
  int version = 0;      // the version that takes calls; 0: none, or a pivot
  absl::Status status;  // set for kFailed
};

struct ModelResources {
  int cpus = 1;
  int cpus_per_cache = 0;     // processors that share a last-level cache; 0: unknown
  int64_t host_bytes = 0;     // the most memory that the process may use; 0: unknown
  std::string host_bytes_of;  // where this limit comes from, for log messages
  int64_t serving_bytes = 0;  // the part of host_bytes that is not for models
  int64_t process_bytes = 0;  // the part of serving_bytes that is in use without any call
};

class ModelManager {
 public:
  static constexpr size_t kMaxPosted = 16;

  // `defaults` are the settings that a model has unless it has its own. REQUIRES: the targets of
  // the pointers outlive the manager.
  ModelManager(ModelTable* table, Metrics* metrics, const engine::Clock* clock,
               ModelResources resources, ModelSettings defaults, DevicePlanner planner,
               EngineLoader loader);
  ~ModelManager();
  ModelManager(const ModelManager&) = delete;
  ModelManager& operator=(const ModelManager&) = delete;

  void Start() { thread_.Start(); }
  absl::Status Post(TaskThread::Task task) { return thread_.Post(std::move(task)); }
  // Makes the present load, checksum or reload, and every later one, end with CANCELLED within
  // seconds. Returns at once. Thread-safe.
  void GiveUp() { gives_up_.store(true); }
  // Calls GiveUp, waits for the running task, and ends the tasks that have not begun. A second call
  // has no effect.
  void Stop();
  // Does what Stop does, with the time limit of TaskThread::StopWithin. A load may wait for a disk
  // that no longer answers.
  bool StopWithin(std::chrono::nanoseconds patience);

  // The methods below are for the manager's thread.

  // Loads the first models. Returns the error of the first model that fails, and loads no more.
  absl::Status LoadAll(const std::vector<ModelSettings>& models,
                       const std::vector<PivotSettings>& pivots = {});

  // Serves the models of `config`. Compares them with the previous configuration (at first, that of
  // LoadAll):
  //   * loads new models;
  //   * reloads models whose settings or files have changed, and the glossaries of the others;
  //   * removes models that are no longer configured;
  //   * changes the order of the models, and the pivots.
  // Changes by Load and Unload stay, unless the configuration of their model has changed. A model
  // that cannot be loaded keeps its present version, and the next Apply tries again.
  //
  // Returns an entry for each model that is or was served, and one if the pivots failed. Also logs
  // the changes.
  std::vector<ModelChange> Apply(const ServerConfig& config);

  // Loads a new model, or a new version of a served one. If the directory is "" or a setting is
  // missing, the value is that of the served model with this name. A new model has the default for
  // each missing setting. Returns INVALID_ARGUMENT, NOT_FOUND, or the loader's error. ABORTED if
  // the files changed while they were read.
  absl::StatusOr<ModelPtr> Load(const std::string& name, const std::string& directory,
                                const std::map<std::string, std::string>& settings);

  struct Reloaded {
    ModelPtr model;
    bool changed = true;
  };
  absl::StatusOr<Reloaded> Reload(const std::string& name, bool only_if_changed);

  // Removes a model and returns the number of its unfinished calls. If the model could not be
  // loaded, removes the note of that failure. NOT_FOUND if there is neither a model nor a failure
  // of this name; FAILED_PRECONDITION for the last model.
  absl::StatusOr<int64_t> Unload(const std::string& name);

  // Returns the peak of the models' host memory during LoadAll, in bytes: that of the loaded models
  // with full KV caches, plus the memory for loading the next one.
  int64_t start_peak_bytes() const { return start_peak_bytes_; }

 private:
  absl::StatusOr<ModelPtr> LoadVersion(const ModelSettings& settings, const ModelShare& share);
  absl::StatusOr<ServedModel> MakeVersion(const ModelSettings& settings, const ModelShare& share);
  absl::StatusOr<int64_t> TakeOut(const std::string& name);
  // Parts of Apply, in applied_config.cc.
  ModelChange Adopt(const ModelSettings& model);
  ModelChange Refresh(const std::string& name);
  absl::Status SetPivots(const ServerConfig& config, std::vector<PivotSettings> pivots);
  absl::StatusOr<ModelPtr> Replace(const ModelSettings& settings);
  // Returns a share in which only the host memory is set. It leaves no memory to models that are
  // loaded later.
  ModelShare HostShare() const;
  absl::StatusOr<DevicePlan> PlanOf(const ModelSettings& settings) const;
  // Returns the share of a model with this plan. `to_come` must be settings from OnDevices.
  ModelShare ShareOf(const ModelSettings& settings, absl::StatusOr<DevicePlan> plan,
                     const std::vector<ModelSettings>& to_come) const;
  // Returns the bytes of host memory that all versions of all models use. Sets `sum` to a text that
  // lists them.
  int64_t HostBytesHeld(std::string* sum) const;
  absl::Status NoSuchModel(const std::string& name) const;
  // Reports whether the files of a served model are still those that it was loaded from.
  absl::StatusOr<bool> IsUnchanged(const ServedModel& model, const ModelSettings& settings) const;
  absl::Status ReloadGlossariesOf(const ServedModel& model);

  ModelTable* const table_;
  Metrics* const metrics_;
  const engine::Clock* const clock_;
  const ModelResources resources_;
  const DevicePlanner planner_;
  const EngineLoader loader_;

  std::atomic<bool> gives_up_{false};

  // Used only by the manager's thread.
  ModelSettings defaults_;
  std::map<std::string, ModelSettings> settings_;  // of the served models, by name
  // The last applied configuration of each model, by name.
  std::map<std::string, ModelSettings> applied_;
  std::vector<PivotSettings> pivots_;
  // The metrics of the pivots, by name. They end with the pivots.
  std::map<std::string, std::shared_ptr<ModelMetrics>> pivot_series_;
  std::map<std::string, ModelShare> shares_;  // the shares of the models of LoadAll
  bool serves_ = false;                       // LoadAll has succeeded
  int64_t start_peak_bytes_ = 0;

  TaskThread thread_{"models", kMaxPosted};
};

}  // namespace dragoman::server
