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

namespace dragoman::server {

// The items that one engine translates from one language.
struct JobPart {
  ModelPtr model;
  engine::TranslationJob job;
  std::vector<int> items;  // of the whole job, those of `job`
};

class JointJob : public std::enable_shared_from_this<JointJob> {
 public:
  // `done`: results of items that no engine is needed for. The clock is borrowed. REQUIRES: made with
  // make_shared.
  JointJob(const engine::Clock* clock, std::vector<JobPart> parts,
           std::vector<engine::ItemResult> done, std::shared_ptr<engine::TranslationSink> sink);

  // Submits all parts. If one is refused, so is the whole, and the sink is not called. To be called
  // once; Admission::job means nothing.
  engine::Admission Start();

  // Does the same as Engine::Cancel. REQUIRES: Start has returned.
  void Cancel(engine::CancelCause cause);

 private:
  class PartSink;

  struct Part {
    std::optional<engine::JobId> job;  // none before Submit has returned
    bool over = false;
  };

  void OnPartDone(size_t part, const absl::Status& status, const engine::JobTimings& timings);
  void Stop(absl::Status status, engine::CancelCause cause);
  void FinishIfOver();
  void Tell(SinkQueue::Call call);

  const engine::Clock* const clock_;
  const engine::Nanos begun_;
  std::vector<JobPart> parts_;            // their jobs are gone after Start; the rest is constant
  std::vector<engine::ItemResult> done_;  // until Start
  SinkQueue queue_;

  engine::Mutex mu_;
  std::vector<Part> states_ ABSL_GUARDED_BY(mu_);  // by part
  bool started_ ABSL_GUARDED_BY(mu_) = false;      // all parts were admitted
  std::optional<absl::Status> stopped_ ABSL_GUARDED_BY(mu_);
  engine::CancelCause cause_ ABSL_GUARDED_BY(mu_) = engine::CancelCause::kClient;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  engine::JobTimings timings_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
