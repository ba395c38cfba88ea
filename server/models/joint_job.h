// A job for a call whose items are in different languages. Its parts go to several engines, or to
// one engine in several languages.
//
// The sink sees one job. Each engine admits its part by its own queue, limits and client shares.
// The sink is not called before all parts are admitted. If an engine refuses its part, the admitted
// parts are cancelled. If a part ends with an error, the others are cancelled.
//
// Thread-safe. The sinks of the parts' jobs own the JointJob until the last part has ended. No lock
// is held while an engine or the sink is called.
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
  std::vector<int> items;  // numbers in the whole job of the items of `job`
};

class JointJob : public std::enable_shared_from_this<JointJob> {
 public:
  // `done` has the results of items that need no engine. `clock` is borrowed. REQUIRES: made with
  // make_shared.
  JointJob(const engine::Clock* clock, std::vector<JobPart> parts,
           std::vector<engine::ItemResult> done, std::shared_ptr<engine::TranslationSink> sink);

  // Submits all parts. If one is refused, the whole job is, and the sink is not called.
  // Admission::job has no meaning. REQUIRES: called once.
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
  std::vector<JobPart> parts_;            // Start moves the jobs out; the rest is constant
  std::vector<engine::ItemResult> done_;  // until Start
  SinkQueue queue_;

  engine::Mutex mu_;
  std::vector<Part> states_ ABSL_GUARDED_BY(mu_);  // by part
  bool started_ ABSL_GUARDED_BY(mu_) = false;      // all parts are admitted
  std::optional<absl::Status> stopped_ ABSL_GUARDED_BY(mu_);
  engine::CancelCause cause_ ABSL_GUARDED_BY(mu_) = engine::CancelCause::kClient;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  engine::JobTimings timings_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
