// A job whose items go to several engines, or to one in several languages: of a call whose items are
// in different languages.
//
// To its sink it is one job. It is admitted by all engines or by none; until the last has admitted
// its part, nothing of the others' is told, and if one refuses, they are cancelled. The first part
// that ends with an error ends the others. Each engine admits its part by its own queue, limits and
// clients' shares.
//
// Thread-safe. Held by the parts' jobs, as their sink, until the last has ended. No lock is held
// while an engine or the sink is called. Items are numbers of the whole job.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "server/models/job_parts.h"
#include "server/models/served_model.h"

namespace dragoman {

// The items that one engine translates from one language.
struct JobPart {
  ModelPtr model;
  TranslationJob job;
  std::vector<int> items;  // of the whole job, those of `job`
};

class JointJob : public std::enable_shared_from_this<JointJob> {
 public:
  // `done`: results of items that no engine is needed for. The clock is borrowed. REQUIRES: made with
  // make_shared.
  JointJob(const Clock* clock, std::vector<JobPart> parts, std::vector<ItemResult> done,
           std::shared_ptr<TranslationSink> sink);

  // Submits all parts. If one is refused, so is the whole, and the sink is not called. To be called
  // once; Admission::job means nothing.
  Admission Start();

  // Does the same as Engine::Cancel. REQUIRES: Start has returned.
  void Cancel(CancelCause cause);

 private:
  class PartSink;

  struct Part {
    std::optional<JobId> job;  // none before Submit has returned
    bool over = false;
  };

  void OnPartDone(size_t part, const absl::Status& status, const JobTimings& timings);
  void Stop(absl::Status status, CancelCause cause);
  void FinishIfOver();
  void Tell(SinkQueue::Call call);

  const Clock* const clock_;
  const Nanos begun_;
  std::vector<JobPart> parts_;    // their jobs are gone after Start; the rest is constant
  std::vector<ItemResult> done_;  // until Start
  SinkQueue queue_;

  Mutex mu_;
  std::vector<Part> states_ ABSL_GUARDED_BY(mu_);  // by part
  bool started_ ABSL_GUARDED_BY(mu_) = false;      // all parts were admitted
  std::optional<absl::Status> stopped_ ABSL_GUARDED_BY(mu_);
  CancelCause cause_ ABSL_GUARDED_BY(mu_) = CancelCause::kClient;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  JobTimings timings_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman
