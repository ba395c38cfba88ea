#include "server/models/job_parts.h"

#include <utility>

namespace dragoman {

absl::Status StatusOf(CancelCause cause) {
  switch (cause) {
    case CancelCause::kClient:
      return absl::CancelledError("the client has cancelled");
    case CancelCause::kDeadline:
      return absl::DeadlineExceededError("the deadline has passed");
    case CancelCause::kDrain:
      return absl::UnavailableError("the server is stopping");
    case CancelCause::kRevoked:
      return absl::UnauthenticatedError("the client may not call any more");
  }
  return absl::CancelledError("");
}

CancelCause CauseOf(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kDeadlineExceeded) return CancelCause::kDeadline;
  if (status.code() == absl::StatusCode::kUnavailable) return CancelCause::kDrain;
  if (status.code() == absl::StatusCode::kUnauthenticated) return CancelCause::kRevoked;
  return CancelCause::kClient;
}

void AddTimings(const JobTimings& from, const std::vector<int>* items, JobTimings* to) {
  to->tokenize += from.tokenize;
  to->queue += from.queue;
  to->encode += from.encode;
  to->slot_wait += from.slot_wait;
  to->decode += from.decode;
  to->detokenize += from.detokenize;
  if (to->tokenized == 0) to->tokenized = from.tokenized;
  for (SegmentTimes times : from.segments) {
    if (items != nullptr) times.item = (*items)[static_cast<size_t>(times.item)];
    to->segments.push_back(times);
  }
}

void SinkQueue::Tell(Call call) {
  {
    MutexLock lock(&mu_);
    if (sink_ == nullptr) return;
    calls_.push_back(std::move(call));
    if (held_ || telling_) return;
    telling_ = true;
  }
  Run();
}

void SinkQueue::Open() {
  {
    MutexLock lock(&mu_);
    held_ = false;
    if (telling_ || calls_.empty()) return;
    telling_ = true;
  }
  Run();
}

std::shared_ptr<TranslationSink> SinkQueue::sink() const {
  MutexLock lock(&mu_);
  return sink_;
}

std::shared_ptr<TranslationSink> SinkQueue::LetGo() {
  std::deque<Call> unused;  // ends after the lock
  MutexLock lock(&mu_);
  calls_.swap(unused);
  return std::exchange(sink_, nullptr);
}

void SinkQueue::Run() {
  while (true) {
    Call next;
    TranslationSink* sink = nullptr;
    {
      MutexLock lock(&mu_);
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

}  // namespace dragoman
