// The parts that jobs have in common which are made of other jobs: a pivot's of two engines, and a
// call's whose items go to several.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

// The status of a job that was cancelled, as an engine has it.
absl::Status StatusOf(engine::CancelCause cause);

// The cause with which the rest of a job is cancelled when a part of it has ended with `status`.
engine::CancelCause CauseOf(const absl::Status& status);

// Adds the times of a part; `total` and what is the whole job's own stay. `items`: which of the
// job's items those of the part are; nullptr: the same.
void AddTimings(const engine::JobTimings& from, const std::vector<int>* items,
                engine::JobTimings* to);

// Calls of a sink from several threads, one after another, in the order in which they were told.
//
// Thread-safe. No lock is held while the sink is called. The caller keeps the queue alive during
// Tell and Open; what is told may let go of anything else.
class SinkQueue {
 public:
  using Call = std::function<void(engine::TranslationSink*)>;

  // With `held`, calls wait for Open.
  explicit SinkQueue(std::shared_ptr<engine::TranslationSink> sink, bool held = false)
      : sink_(std::move(sink)), held_(held) {}

  // Calls the sink now, or lets the thread do it that is calling it.
  void Tell(Call call);
  void Open();

  // The sink; nullptr once it was let go.
  std::shared_ptr<engine::TranslationSink> sink() const;

  // Lets go of the sink, and returns it, so that the caller decides when it ends. What is told from
  // now on, and what waits, is not called.
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
