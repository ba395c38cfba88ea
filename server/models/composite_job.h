// A job that several engine jobs do, for one sink. Its items may be in different languages, which
// different engines translate. Or its items go through a pivot language: a first engine translates
// them into the pivot language, and a second engine translates the result.
//
// The sink sees one job. Each engine admits its part by its own queue, limits and client shares.
// Calls of the sink wait until all parts are admitted. If an engine refuses its part, the admitted
// parts are cancelled. If an engine's job ends with an error, the other jobs are cancelled.
//
// An item of a pivot goes to the second engine as soon as the first has finished it; items that
// finish at the same time go together. If the queue of the second engine is full, the items wait
// and try again, so that every admitted job is answered. A sink must not submit a job, so the
// second engine is called on the timer's thread.
//
// Thread-safe. The sinks of the engines' jobs own the CompositeJob until the last one has ended. A
// PivotEngine owns it, too, from Enter to Forget. Timers have weak references. No lock is held
// while an engine or the sink is called.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "server/models/served_model.h"
#include "server/models/sink_queue.h"

namespace dragoman::server {

class PivotEngine;
struct PivotPlan;

// Items that one engine translates from one language.
struct JobPart {
  ModelPtr model;  // kept until the job ends; nullptr: the sink keeps it
  engine::Engine* engine = nullptr;
  std::unique_ptr<engine::Plan> plan;  // made by `engine`
  std::vector<int> items;  // items[i]: the index in the CompositeJob of the plan's item i
};

class CompositeJob : public std::enable_shared_from_this<CompositeJob> {
 public:
  // `done` has the results of items that need no engine. `clock` is borrowed. REQUIRES: made with
  // make_shared.
  CompositeJob(const engine::Clock* clock, std::vector<JobPart> parts,
               std::vector<engine::ItemResult> done, std::shared_ptr<engine::TranslationSink> sink);
  ~CompositeJob();

  // Submits all parts. If an engine refuses one, Start returns the refusal, and the sink is never
  // called. Admission::job has a meaning only if there is a single part: it is a job of the part's
  // engine. REQUIRES: called once.
  engine::Admission Start();

  // Does the same as Engine::Cancel. REQUIRES: Start has returned.
  void Cancel(engine::CancelCause cause);

 private:
  struct Part;
  class LegSink;
  // A leg is one job of an engine. The stage of a leg says between which languages it translates:
  // from the source into the target (kOnly), into the pivot language, or from the pivot language.
  enum class Stage { kOnly, kIntoPivot, kFromPivot };

  // A leg that has not ended.
  struct Leg {
    engine::Engine* engine = nullptr;
    std::optional<engine::JobId> job;  // none before Submit has returned
  };

  // Adds a leg, which is a job of `engine`, and returns its number. The caller submits the leg.
  int AddLeg(engine::Engine* engine) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Submits a leg. The caller erases a leg that is refused.
  engine::Admission SubmitLeg(int leg, engine::Engine* engine, std::unique_ptr<engine::Plan> plan,
                              std::shared_ptr<LegSink> sink);
  engine::Admission StartPart(Part* part);
  void OnLegDone(const LegSink& leg, const absl::Status& status, const engine::JobTimings& timings);

  // The following are for a part that goes through a pivot language. They count items by their
  // index in the part.
  void OnFirstItem(Part* part, engine::ItemResult result);
  // Makes the timer's thread call SubmitSecond at `when`.
  void Arm(Part* part, engine::Nanos when);
  void SubmitSecond(Part* part);
  // Removes `leg`, which the second engine has refused. Its items wait until the second engine may
  // have room.
  void Wait(Part* part, int leg, std::vector<int> items, engine::Nanos retry_after);
  // Tells the PivotEngine that `items` items no longer wait for the second engine, because it has
  // taken them or because they have ended.
  void Leave(Part* part, int64_t items);

  // Cancels all legs. The job ends with `status`. Only the first call has an effect.
  void Stop(absl::Status status, engine::CancelCause cause);
  void FinishIfOver();
  void Tell(SinkQueue::Call call);

  const engine::Clock* const clock_;
  const engine::Nanos begun_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<engine::ItemResult> done_;  // the results given to the constructor, until Start
  // The sink in the queue owns engines. It is released after OnDone.
  SinkQueue queue_;

  engine::Mutex mu_;
  std::map<int, Leg> legs_ ABSL_GUARDED_BY(mu_);
  int last_leg_ ABSL_GUARDED_BY(mu_) = 0;
  bool started_ ABSL_GUARDED_BY(mu_) = false;  // all parts are admitted, or one is refused
  std::optional<absl::Status> stopped_ ABSL_GUARDED_BY(mu_);
  engine::CancelCause cause_ ABSL_GUARDED_BY(mu_) = engine::CancelCause::kClient;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  engine::JobTimings timings_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
