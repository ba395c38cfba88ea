// The models of the process, by name, and the end of those that are no longer served.
//
// A model that is replaced or taken out takes no new calls; those that hold it go on. When the last
// of them has let go, a thread of the table ends its engine: an engine joins its threads, and those
// let go of calls themselves. The engine's counts stay in those of its name, until no version of
// that name is left: nothing is kept for ever for names that were served once, or never.
//
// Pivots are made here from the models that they go through: a pivot is there whenever both of them
// are, and always goes through their present versions.
//
// Thread-safe. Put, Remove and other changes are for one thread at a time.
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
  // How many failures of names that are not served are kept; the latest are.
  static constexpr size_t kMaxFailures = 32;

  // `clock` outlives the table. Models are listed in the order of `names`, those with other names
  // after them; the first is the default. Pivots come last.
  ModelTable(const engine::Clock* clock, std::vector<std::string> names,
             std::vector<PivotSettings> pivots);
  // Ends every job, and waits until nobody holds a model any more and all engines have ended.
  ~ModelTable();
  ModelTable(const ModelTable&) = delete;
  ModelTable& operator=(const ModelTable&) = delete;

  // Calls to come get `model`, in place of the one of its name, if any. Put gives it its version:
  // above any that its name had before, 1 if no model was taken out yet. An error, and nothing has
  // changed, if a pivot through it would have no language between.
  absl::StatusOr<ModelPtr> Put(ServedModel model);

  // Calls to come do not find the model. False: there is none. Pivots through it are removed as
  // well.
  bool Remove(std::string_view name);

  // Changes the order of the list and the pivots. An error, and nothing has changed, if two models
  // of a pivot have no language between.
  absl::Status Configure(std::vector<std::string> names, std::vector<PivotSettings> pivots);

  // nullptr if there is none of this name.
  ModelPtr Find(std::string_view name) const;

  // All models that take calls, the default first.
  std::vector<ModelPtr> models() const;

  // Notes that a model is being loaded or has failed to load, for lists of models; kServing takes
  // the note away, as does Put. Remove forgets a failure, and so do kMaxFailures later ones of
  // names that are not served.
  void Note(const std::string& name, ModelState state);

  // Takes away the note that the model has failed. False: there is none.
  bool ForgetFailure(const std::string& name);

  // One line of a list of models.
  struct Entry {
    std::string name;
    ModelState state = ModelState::kServing;
    int version = 0;  // 0: not known yet
    // The model, if it takes calls. Hold it no longer than needed: it keeps the engine.
    ModelPtr model;
  };
  // The entries of models(), then of old versions that still have calls, then of Note.
  std::vector<Entry> Entries() const;

  // Calls `change` with the name and whether it takes calls, once for every present model and then
  // after every change, from the thread that makes it. Null ends that.
  using Change = std::function<void(const std::string& name, bool served)>;
  void OnChange(Change change);

  // The numbers of every name that takes calls or has versions that still have some; without
  // pivots, whose jobs are those of the models that they go through. As consistent as
  // Engine::Stats, over all versions; the counts of a name never fall while one of its versions
  // exists.
  std::vector<ModelStats> Stats() const;

  // Ends every job of every version as Engine::Cancel does. New jobs are not refused: see
  // CallContext::draining.
  void CancelAll(engine::CancelCause cause);

  // The jobs of all versions, for a drain and for tests.
  int64_t jobs_in_flight() const;

  // Waits until no version but those that take calls is left, or for `timeout`. True: none is left.
  bool WaitEnded(std::chrono::nanoseconds timeout);

 private:
  struct Registry;  // outlives the models, whose last owner hands them back to it

  // The models `direct` and the pivots through them, which are made anew where a version has
  // changed. REQUIRES: Registry's lock is not held.
  absl::StatusOr<std::vector<ModelPtr>> WithPivots(std::vector<ModelPtr> direct);
  ModelPtr Share(ServedModel model);
  ModelPtr ShareNextVersion(ServedModel model);
  void Forget(const std::string& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Publish(std::vector<ModelPtr> models);
  size_t RankOf(const std::string& name) const;
  // Ends the engines of versions that nobody holds any more, on a thread of its own.
  void EndUnheld();

  const engine::Clock* const clock_;
  DeadlineTimer timer_;  // of the pivots
  const std::shared_ptr<Registry> registry_;

  mutable engine::Mutex mu_;
  std::vector<ModelPtr> models_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, ModelState> notes_ ABSL_GUARDED_BY(mu_);
  std::deque<std::string> failures_ ABSL_GUARDED_BY(mu_);  // of names not served; the oldest first
  Change change_ ABSL_GUARDED_BY(mu_);

  // Used by the thread that makes changes.
  std::vector<std::string> names_;
  std::vector<PivotSettings> pivots_;
  // The highest version of a name that was taken out. New names begin above it, so that no name has
  // a version twice and no names need to be remembered.
  int last_removed_ = 0;

  std::thread ender_;
};

}  // namespace dragoman::server
