// One job of a PivotEngine, from its admission by the first engine to its OnDone.
//
// Thread-safe. Owned by its engine until OnDone has returned, and by the sinks of the two engines'
// jobs. Timers have weak references. No lock is held while an engine or the sink is called. A
// SinkQueue serializes the calls of the sink, because threads of both engines make them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/base/mutex.h"
#include "server/models/job_parts.h"
#include "server/models/pivot_engine.h"

namespace dragoman::server {

class PivotJob : public std::enable_shared_from_this<PivotJob> {
 public:
  // REQUIRES: job.languages is a PivotLanguages of the engine.
  PivotJob(PivotEngine* engine, engine::JobId id, engine::TranslationJob job,
           std::shared_ptr<engine::TranslationSink> sink);

  // Submits to the first engine. If that refuses the job, the sink is not called.
  engine::Admission Start();

  void Cancel(engine::CancelCause cause);

 private:
  class FirstSink;
  class SecondSink;

  void OnFirstItem(engine::ItemResult result);
  void OnFirstDone(const absl::Status& status, const engine::JobTimings& timings);
  void OnSecondSegment(const std::vector<int>& items, engine::SegmentUpdate update);
  void OnSecondItem(const std::vector<int>& items, engine::ItemResult result);
  void OnSecondDone(int batch, const std::vector<int>& items, const absl::Status& status,
                    const engine::JobTimings& timings);

  // Submits to the second engine at `when`, on the timer's thread.
  void Arm(engine::Nanos when);
  void SubmitSecond();
  // Makes the items of `batch` wait until the second engine may have room.
  void Wait(int batch, std::vector<int> items, engine::Nanos retry_after);
  // Reports items that the second engine has taken, or that ended before that.
  void Leave(int64_t items);

  // Cancels both engines' jobs. `status` becomes that of this job. Only the first call has an
  // effect.
  void Stop(absl::Status status, engine::CancelCause cause);
  void FinishIfOver();
  void Tell(SinkQueue::Call call);

  // These are not used after the end, unless a reference to the sink is held.
  PivotEngine* const engine_;
  const engine::Clock* const clock_;
  DeadlineTimer* const timer_;
  const engine::JobId id_;
  const engine::TranslationJob job_;
  const PivotLanguages& languages_;  // of job_
  const engine::Nanos begun_;

  // Its sink keeps the models, and so the engines. Released after OnDone.
  SinkQueue queue_;

  engine::Mutex mu_;
  // The first engine's results by item. Constant once the item is in ready_, or was reported.
  std::vector<engine::ItemResult> firsts_;
  std::vector<int> ready_ ABSL_GUARDED_BY(mu_);  // items for the second engine
  int64_t left_ ABSL_GUARDED_BY(mu_);            // items that the second engine has not taken yet
  bool armed_ ABSL_GUARDED_BY(mu_) = false;
  std::optional<engine::JobId> first_ ABSL_GUARDED_BY(mu_);  // none before Submit has returned
  bool first_over_ ABSL_GUARDED_BY(mu_) = false;
  std::map<int, std::optional<engine::JobId>> seconds_ ABSL_GUARDED_BY(mu_);  // by batch
  int batches_ ABSL_GUARDED_BY(mu_) = 0;
  std::optional<absl::Status> stopped_ ABSL_GUARDED_BY(mu_);
  engine::CancelCause cause_ ABSL_GUARDED_BY(mu_) = engine::CancelCause::kClient;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  engine::JobTimings timings_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
