#include "server/models/job_parts.h"

#include <utility>

namespace dragoman::server {

absl::Status StatusOf(engine::CancelCause cause) {
  switch (cause) {
    case engine::CancelCause::kClient:
      return absl::CancelledError("the client has cancelled");
    case engine::CancelCause::kDeadline:
      return absl::DeadlineExceededError("the deadline has passed");
    case engine::CancelCause::kDrain:
      return absl::UnavailableError("the server is stopping");
    case engine::CancelCause::kRevoked:
      return absl::UnauthenticatedError("the client may not call any more");
  }
  return absl::CancelledError("");
}

engine::CancelCause CauseOf(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kDeadlineExceeded) return engine::CancelCause::kDeadline;
  if (status.code() == absl::StatusCode::kUnavailable) return engine::CancelCause::kDrain;
  if (status.code() == absl::StatusCode::kUnauthenticated) return engine::CancelCause::kRevoked;
  return engine::CancelCause::kClient;
}

void AddTimings(const engine::JobTimings& from, const std::vector<int>* items,
                engine::JobTimings* to) {
  to->tokenize += from.tokenize;
  to->queue += from.queue;
  to->encode += from.encode;
  to->slot_wait += from.slot_wait;
  to->decode += from.decode;
  to->detokenize += from.detokenize;
  if (to->tokenized == 0) to->tokenized = from.tokenized;
  for (engine::SegmentTimes times : from.segments) {
    if (items != nullptr) times.item = (*items)[static_cast<size_t>(times.item)];
    to->segments.push_back(times);
  }
}

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
