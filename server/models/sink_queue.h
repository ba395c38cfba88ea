// Serializes the calls of a sink from several threads, in the order of Tell.
//
// Thread-safe. No lock is held while the sink is called. The caller must keep the queue alive
// during Tell and Open, because a call may release the other references to it.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "engine/api/engine.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

class SinkQueue {
 public:
  using Call = std::function<void(engine::TranslationSink*)>;

  // Calls wait until Open.
  explicit SinkQueue(std::shared_ptr<engine::TranslationSink> sink) : sink_(std::move(sink)) {}

  // Tell calls `call` with the sink. If another thread is calling the sink at that time, that
  // thread makes this call afterwards. Open makes the waiting calls.
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
  bool held_ ABSL_GUARDED_BY(mu_) = true;
  bool telling_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::server
