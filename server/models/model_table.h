// The served models, by name. Also destroys the engines of models that are no longer served.
//
// A replaced or removed model accepts no new calls, and its unfinished calls go on. After the last
// call has released the model, a thread of the table destroys its engine. The engine's own threads
// may release calls, but they cannot destroy the engine, because it joins them. The counts of the
// engine remain in the counts of the model's name until no version of that name exists.
//
// The table makes the pivots. A pivot exists while both of its models are served. It uses their
// present versions.
//
// Thread-safe. Only one thread at a time may call Put, Remove and Configure.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "server/base/deadline_timer.h"
#include "server/models/served_model.h"
#include "server/observe/engine_families.h"
#include "server/settings/config.h"

namespace dragoman::server {

enum class ModelState { kServing, kDraining, kLoading, kFailed };

class ModelTable {
 public:
  // The maximum number of failures that are kept for names that are not served.
  static constexpr size_t kMaxFailures = 32;

  // `clock` must outlive the table. The list of models begins with `names`, in their order. Models
  // with other names follow, then pivots. The first model is the default.
  ModelTable(const engine::Clock* clock, std::vector<std::string> names,
             std::vector<PivotSettings> pivots);
  // Cancels every job. Waits until all references to models were released and all engines have
  // ended.
  ~ModelTable();
  ModelTable(const ModelTable&) = delete;
  ModelTable& operator=(const ModelTable&) = delete;

  // Makes new calls of model.name use `model`, which replaces the previous version, if any. Gives
  // `model` a higher version number than any earlier model of this name. A new name may start above
  // 1, because the table does not remember the numbers of removed names. Returns an error without
  // effect if the two models of a pivot would have no language in common.
  absl::StatusOr<ModelPtr> Put(ServedModel model);

  // Removes a model, and the pivots through it, for new calls. Returns false if there is none.
  bool Remove(std::string_view name);

  // Changes the order of the list and the pivots. Returns an error without effect if the models of
  // a pivot share no language.
  absl::Status Configure(std::vector<std::string> names, std::vector<PivotSettings> pivots);

  // Returns nullptr if there is none.
  ModelPtr Find(std::string_view name) const;

  // Returns all models that accept calls, the default first.
  std::vector<ModelPtr> models() const;

  // Records that a model is being loaded or has failed to load. Entries reports such notes.
  // kServing removes the note of a model, and so does Put. Remove deletes the note of a failure. Of
  // the failures of names that are not served, only the last kMaxFailures are kept.
  void Note(const std::string& name, ModelState state);

  // Removes the note that the model has failed. Returns false if there is none.
  bool ForgetFailure(const std::string& name);

  struct Entry {
    std::string name;
    ModelState state = ModelState::kServing;
    int version = 0;  // 0: unknown
    // The model, if it accepts calls. Release it soon, because it keeps the engine alive.
    ModelPtr model;
  };
  // Returns the entries of models(), then of old versions that still have calls, then of models
  // that Note has recorded.
  std::vector<Entry> Entries() const;

  // Calls `change` once for every present model, and then after every change, on the thread that
  // makes the change. `served` tells whether the model accepts calls. A nullptr as `change` stops
  // the calls.
  using Change = std::function<void(const std::string& name, bool served)>;
  void OnChange(Change change);

  // Returns the stats of every name that has a version, even if its only versions are old ones with
  // unfinished calls. Omits pivots, because their jobs count in their models. Sums over all
  // versions, and is as consistent as Engine::Stats. The counts of a name never fall while one of
  // its versions exists.
  std::vector<ModelStats> Stats() const;

  // Cancels every job of every version as Engine::Cancel does. Does not refuse new jobs; see
  // CallContext::draining.
  void CancelAll(engine::CancelCause cause);

  // Returns the number of jobs of all versions. For a drain and for tests.
  int64_t jobs_in_flight() const;

  // Waits until all versions that accept no calls have ended, for at most `timeout`. Returns false
  // after the timeout.
  bool WaitEnded(std::chrono::nanoseconds timeout);

 private:
  struct Registry;  // outlives the models; the last owner of a model hands it back to the registry

  // Returns `direct` and the pivots through them; makes pivots again if a version has changed.
  // REQUIRES: the locks of Registry are not held.
  absl::StatusOr<std::vector<ModelPtr>> WithPivots(std::vector<ModelPtr> direct);
  ModelPtr Share(ServedModel model);
  ModelPtr ShareNextVersion(ServedModel model);
  void Forget(const std::string& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Publish(std::vector<ModelPtr> models);
  size_t RankOf(const std::string& name) const;
  // The thread that destroys versions without references.
  void EndUnheld();

  const engine::Clock* const clock_;
  DeadlineTimer timer_;  // the pivots' timer
  const std::shared_ptr<Registry> registry_;

  mutable engine::Mutex mu_;
  std::vector<ModelPtr> models_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, ModelState> notes_ ABSL_GUARDED_BY(mu_);
  std::deque<std::string> failures_ ABSL_GUARDED_BY(mu_);  // names not served; the oldest first
  Change change_ ABSL_GUARDED_BY(mu_);

  // Used only by the thread that makes changes.
  std::vector<std::string> names_;
  std::vector<PivotSettings> pivots_;
  // The highest version of any removed name. New names start above it, so that a name never gets
  // the same version twice.
  int last_removed_ = 0;

  std::thread ender_;
};

}  // namespace dragoman::server
