#include "server/models/sink_queue.h"

#include <utility>

namespace dragoman::server {

void SinkQueue::Tell(Call call) {
  {
    engine::MutexLock lock(&mu_);
    if (sink_ == nullptr) return;
    calls_.push_back(std::move(call));
    if (held_ || telling_) return;
    telling_ = true;
  }
  Run();
}

void SinkQueue::Open() {
  {
    engine::MutexLock lock(&mu_);
    held_ = false;
    if (telling_ || calls_.empty()) return;
    telling_ = true;
  }
  Run();
}

std::shared_ptr<engine::TranslationSink> SinkQueue::sink() const {
  engine::MutexLock lock(&mu_);
  return sink_;
}

std::shared_ptr<engine::TranslationSink> SinkQueue::LetGo() {
  std::deque<Call> unused;  // destroyed after the lock is released
  engine::MutexLock lock(&mu_);
  calls_.swap(unused);
  return std::exchange(sink_, nullptr);
}

void SinkQueue::Run() {
  while (true) {
    Call next;
    engine::TranslationSink* sink = nullptr;
    {
      engine::MutexLock lock(&mu_);
      if (calls_.empty()) {
        telling_ = false;
        return;
      }
      next = std::move(calls_.front());
      calls_.pop_front();
      sink = sink_.get();
    }
    next(sink);
  }
}

}  // namespace dragoman::server
