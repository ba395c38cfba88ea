// Code shared by PivotJob and JointJob, which are made of the jobs of several engines.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

// Returns the status that an engine gives a job that was cancelled for this cause.
absl::Status StatusOf(engine::CancelCause cause);

// Returns the cause to cancel the other parts of a job with, after one part ended with `status`.
engine::CancelCause CauseOf(const absl::Status& status);

// Adds the times of a part to those of the job, except `total`. `items` maps the part's item
// numbers to the job's; nullptr: they are the same.
void AddTimings(const engine::JobTimings& from, const std::vector<int>* items,
                engine::JobTimings* to);

// Serializes the calls of a sink from several threads, in the order of Tell.
//
// Thread-safe. No lock is held while the sink is called. The caller must keep the queue alive
// during Tell and Open, because a call may release the other references to it.
class SinkQueue {
 public:
  using Call = std::function<void(engine::TranslationSink*)>;

  // If `held`, calls wait for Open.
  explicit SinkQueue(std::shared_ptr<engine::TranslationSink> sink, bool held = false)
      : sink_(std::move(sink)), held_(held) {}

  // Calls the sink. If another thread is calling the sink, that thread makes the call.
  void Tell(Call call);
  void Open();

  // Returns the sink; nullptr after LetGo.
  std::shared_ptr<engine::TranslationSink> sink() const;

  // Releases the sink and returns it, so that the caller decides when it is destroyed. Drops
  // waiting and further calls.
  std::shared_ptr<engine::TranslationSink> LetGo();

 private:
  void Run();

  mutable engine::Mutex mu_;
  std::shared_ptr<engine::TranslationSink> sink_ ABSL_GUARDED_BY(mu_);
  std::deque<Call> calls_ ABSL_GUARDED_BY(mu_);
  bool held_ ABSL_GUARDED_BY(mu_);
  bool telling_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::server
