// Changes what the table serves: loads models and new versions of them, and takes models out. A new
// version is loaded and warmed up next to the old one, and takes its place when it is ready. A load
// that fails changes nothing.
//
// Changes run one after another, on a thread of its own. Post is thread-safe; methods for the
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

// Decides where a model runs. Reads its files where that depends on them, within the host's memory
// that `share` tells of; what `share` has besides is not divided yet. Errors and `load` as
// EngineLoader's.
using DevicePlanner = std::function<absl::StatusOr<DevicePlan>(
    const ModelSettings& settings, const ModelShare& share, engine::LoadContext* load)>;

// Makes a model's engine and warms it up, within its share and where share.plan says. May take
// minutes; notes in `load` which files it reads, and ends with CANCELLED within seconds once that is
// given up.
using EngineLoader = std::function<absl::StatusOr<std::unique_ptr<engine::Engine>>(
    const ModelSettings& settings, const ModelShare& share, engine::EngineObserver* observer,
    engine::LoadContext* load)>;

// The result of ModelManager::Apply for one model.
struct ModelChange {
  enum class Kind : uint8_t { kUnchanged, kLoaded, kReloaded, kUnloaded, kFailed };
  std::string name;
  Kind kind = Kind::kUnchanged;
  int version = 0;      // that serves now; 0: none does, or a pivot
  absl::Status status;  // of kFailed
};

// The resources of the machine.
struct ModelResources {
  int cpus = 1;
  int cpus_per_cache = 0;     // processors that share a last level of cache; 0: not known
  int64_t host_bytes = 0;     // the most that the process may hold; 0: not known
  std::string host_bytes_of;  // the source of that limit, for people
  int64_t serving_bytes = 0;  // the part of them that is not for models
  int64_t process_bytes = 0;  // the part of serving_bytes that is held without any call
};

class ModelManager {
 public:
  static constexpr size_t kMaxPosted = 16;

  // All are borrowed and outlive the manager. `defaults` are the settings of models that have none.
  ModelManager(ModelTable* table, Metrics* metrics, const engine::Clock* clock,
               ModelResources resources, ModelSettings defaults, DevicePlanner planner,
               EngineLoader loader);
  // Stops.
  ~ModelManager();
  ModelManager(const ModelManager&) = delete;
  ModelManager& operator=(const ModelManager&) = delete;

  // From now on posted tasks are called, as by TaskThread.
  void Start() { thread_.Start(); }
  absl::Status Post(TaskThread::Task task) { return thread_.Post(std::move(task)); }
  // The load, checksum or reload that is under way ends with CANCELLED, within seconds, and so
  // does every later one. Does not wait. Thread-safe.
  void GiveUp() { gives_up_.store(true); }
  // Gives up, waits for the task under way, and ends those that have not begun. Calling it again
  // has no effect.
  void Stop();
  // The same, like TaskThread::StopWithin: a load may wait for a disk that no longer answers.
  bool StopWithin(std::chrono::nanoseconds patience);

  // The methods below are for the manager's thread.

  // Loads the models of the start. Ends with the first that cannot be loaded.
  absl::Status LoadAll(const std::vector<ModelSettings>& models,
                       const std::vector<PivotSettings>& pivots = {});

  // Serves what `config` names. Compares its models with those of the configuration that was applied
  // before (at first, that of LoadAll):
  //   * loads models that are new;
  //   * loads models again whose settings or files have changed, and the glossaries of the others;
  //   * takes out models that are gone;
  //   * changes the order of the models, and the pivots.
  // Models that Load and Unload changed stay as they are unless their configuration has changed. A
  // model that cannot be loaded keeps its present version, and the next Apply tries it again.
  //
  // Returns an entry for each model that is served or was, and for a pivot that failed. The log has
  // the changes as well.
  std::vector<ModelChange> Apply(const ServerConfig& config);

  // Loads a new model, or a new version of one. With "" and no settings it keeps those of the model
  // of that name. INVALID_ARGUMENT, NOT_FOUND, or the loader's error; ABORTED if the files were
  // changed while they were read.
  absl::StatusOr<ModelPtr> Load(const std::string& name, const std::string& directory,
                                const std::map<std::string, std::string>& settings);

  struct Reloaded {
    ModelPtr model;
    bool changed = true;
  };
  absl::StatusOr<Reloaded> Reload(const std::string& name, bool only_if_changed);

  // Takes a model out, and returns how many of its calls still go on. For a model that could not be
  // loaded it forgets the failure. NOT_FOUND; FAILED_PRECONDITION for the last model.
  absl::StatusOr<int64_t> Unload(const std::string& name);

  // The most of the host's memory that all models held at once while those of the start were
  // loaded: the loaded ones with their K/V at its largest, and what loading the next one took.
  int64_t start_peak_bytes() const { return start_peak_bytes_; }

 private:
  absl::StatusOr<ModelPtr> LoadVersion(const ModelSettings& settings, const ModelShare& share);
  absl::StatusOr<ServedModel> MakeVersion(const ModelSettings& settings, const ModelShare& share);
  absl::StatusOr<int64_t> TakeOut(const std::string& name);
  // Parts of Apply (applied_config.cc): for a model of the configuration, for any model that is served,
  // and for the order and the pivots.
  ModelChange Adopt(const ModelSettings& model);
  ModelChange Refresh(const std::string& name);
  absl::Status SetPivots(const ServerConfig& config, std::vector<PivotSettings> pivots);
  absl::StatusOr<ModelPtr> Replace(const ModelSettings& settings);
  // The part of a share that is the host's memory, but for models to come.
  ModelShare HostShare() const;
  absl::StatusOr<DevicePlan> PlanOf(const ModelSettings& settings) const;
  // The share of a model whose plan this is. `to_come`: on their devices, as OnDevices.
  ModelShare ShareOf(const ModelSettings& settings, absl::StatusOr<DevicePlan> plan,
                     const std::vector<ModelSettings>& to_come) const;
  // The host's memory that all versions of all models hold, in bytes, and in words in `sum`.
  int64_t HostBytesHeld(std::string* sum) const;
  absl::Status NoSuchModel(const std::string& name) const;
  // Whether a load of a served model would find the files that it was made of.
  absl::StatusOr<bool> IsUnchanged(const ServedModel& model, const ModelSettings& settings) const;
  absl::Status ReloadGlossariesOf(const ServedModel& model);

  ModelTable* const table_;
  Metrics* const metrics_;
  const engine::Clock* const clock_;
  const ModelResources resources_;
  const DevicePlanner planner_;
  const EngineLoader loader_;

  std::atomic<bool> gives_up_{false};

  // Used by the manager's thread alone.
  ModelSettings defaults_;
  std::map<std::string, ModelSettings> settings_;  // of the served models, by name
  // The configuration of each model, by name, as it was applied last.
  std::map<std::string, ModelSettings> applied_;
  std::vector<PivotSettings> pivots_;
  // The series of the pivots, which end with them.
  std::map<std::string, std::shared_ptr<ModelMetrics>> pivot_series_;
  std::map<std::string, ModelShare> shares_;  // of the models of the start
  bool serves_ = false;                       // the models of the start are loaded
  int64_t start_peak_bytes_ = 0;

  TaskThread thread_{"models", kMaxPosted};
};

}  // namespace dragoman::server
