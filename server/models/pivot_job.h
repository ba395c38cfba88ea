// One job of a PivotEngine, from its admission by the first engine to its OnDone.
//
// Thread-safe. Held by its engine until OnDone has returned, and by the jobs of the two engines, as
// their sink; timers hold it weakly. No lock is held while an engine or the sink is called: calls
// of the sink go through a queue, which one thread at a time empties, because the two engines'
// threads come at the same time.
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
  // REQUIRES: job.languages are PivotLanguages of the engine.
  PivotJob(PivotEngine* engine, engine::JobId id, engine::TranslationJob job,
           std::shared_ptr<engine::TranslationSink> sink);

  // Submits to the first engine. If that refuses, the sink is not called.
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

  // Submits to the second engine at `when`, from the timer's thread.
  void Arm(engine::Nanos when);
  void SubmitSecond();
  // The items of `batch` wait until the second engine may have room.
  void Wait(int batch, std::vector<int> items, engine::Nanos retry_after);
  // The second engine has taken so many items, or they ended before that.
  void Leave(int64_t items);

  // Ends both engines' jobs; the status is the job's. The first cause counts.
  void Stop(absl::Status status, engine::CancelCause cause);
  void FinishIfOver();
  void Tell(SinkQueue::Call call);

  // These are not touched after the end, unless the sink is still held.
  PivotEngine* const engine_;
  const engine::Clock* const clock_;
  DeadlineTimer* const timer_;
  const engine::JobId id_;
  const engine::TranslationJob job_;
  const PivotLanguages& languages_;  // of job_
  const engine::Nanos begun_;

  // Its sink holds the models, and so the engines; it is let go after OnDone.
  SinkQueue queue_;

  engine::Mutex mu_;
  // The first engine's results by item; constant once the item is in ready_, or was reported.
  std::vector<engine::ItemResult> firsts_;
  std::vector<int> ready_ ABSL_GUARDED_BY(mu_);  // items for the second engine
  int64_t left_ ABSL_GUARDED_BY(mu_);            // items that it has not taken yet
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
