#include "server/call/stream_writer.h"

#include "server/base/steady_clock.h"

namespace dragoman::server {
namespace {

// The time that an aborted call waits for the write in flight.
constexpr engine::Nanos kAbortGrace = kNanosPerSecond;

}  // namespace

void StreamWriter::PutSegment(v1::StreamTranslateResponse message) {
  {
    engine::MutexLock lock(&mu_);
    if (end_.has_value()) return;
    const Key key{message.item(), message.segment()};
    const bool partial = !message.final();
    const auto waiting = partials_.find(key);
    if (waiting != partials_.end()) {
      *waiting->second = {std::move(message), partial};
      if (!partial) partials_.erase(waiting);
      ++replaced_;
    } else {
      outbox_.push_back({std::move(message), partial});
      if (partial) partials_.emplace(key, std::prev(outbox_.end()));
    }
  }
  Pump();
}

void StreamWriter::Put(v1::StreamTranslateResponse message) {
  {
    engine::MutexLock lock(&mu_);
    if (end_.has_value()) return;
    outbox_.push_back({std::move(message), false});
  }
  Pump();
}

void StreamWriter::Drop() {
  outbox_.clear();
  partials_.clear();
}

void StreamWriter::Close(absl::Status status) {
  {
    engine::MutexLock lock(&mu_);
    if (end_.has_value()) return;
    end_ = std::move(status);
  }
  Pump();
}

void StreamWriter::Abort(absl::Status status) {
  bool waits_for_write = false;
  {
    engine::MutexLock lock(&mu_);
    if (finished_ || aborted_) return;
    aborted_ = true;
    end_ = std::move(status);
    Drop();
    waits_for_write = writing_;
  }
  if (waits_for_write) ArmWriteTimer(kAbortGrace);
  Pump();
}

void StreamWriter::OnWriteDone(bool ok) {
  DeadlineTimer::Id timer = DeadlineTimer::kNone;
  {
    engine::MutexLock lock(&mu_);
    writing_ = false;
    timer = std::exchange(write_timer_, DeadlineTimer::kNone);
    if (!ok && !aborted_) {
      aborted_ = true;
      end_ = absl::CancelledError("the client is gone");
      Drop();
    }
  }
  if (timer != DeadlineTimer::kNone) timer_->Disarm(timer);
  Pump();
}

void StreamWriter::Pump() {
  std::optional<v1::StreamTranslateResponse> message;
  absl::Status end;
  {
    engine::MutexLock lock(&mu_);
    if (writing_ || breaking_ || finished_) return;
    if (!outbox_.empty()) {
      message = std::move(outbox_.front().message);
      if (outbox_.front().partial) partials_.erase({message->item(), message->segment()});
      outbox_.pop_front();
      writing_ = true;
      ++writes_;
    } else if (end_.has_value()) {
      finished_ = true;
      end = *end_;
    } else {
      return;
    }
  }
  // From here on only this thread calls the transport, because writing_ or finished_ is true.
  if (!message.has_value()) {
    transport_->Finish(end);
    return;
  }
  ArmWriteTimer(write_timeout_);
  transport_->StartWrite(*std::move(message));
}

void StreamWriter::ArmWriteTimer(engine::Nanos delay) {
  DeadlineTimer::Id replaced = DeadlineTimer::kNone;
  {
    engine::MutexLock lock(&mu_);
    if (!writing_) return;
    const uint64_t write = writes_;
    replaced = std::exchange(write_timer_,
                             timer_->Arm(clock_->Now() + delay, [weak = weak_from_this(), write] {
                               if (const auto writer = weak.lock()) writer->HandleStuck(write);
                             }));
  }
  if (replaced != DeadlineTimer::kNone) timer_->Disarm(replaced);
}

void StreamWriter::HandleStuck(uint64_t write) {
  bool first = false;
  {
    engine::MutexLock lock(&mu_);
    if (!writing_ || writes_ != write || breaking_) return;
    breaking_ = true;
    first = !aborted_;
    if (first) {
      aborted_ = true;
      end_ = absl::CancelledError("the client has read nothing for the write timeout");
      Drop();
    }
  }
  if (first) on_stuck_();
  transport_->Break();
  {
    engine::MutexLock lock(&mu_);
    breaking_ = false;
  }
  Pump();
}

size_t StreamWriter::waiting() const {
  engine::MutexLock lock(&mu_);
  return outbox_.size();
}

int64_t StreamWriter::replaced() const {
  engine::MutexLock lock(&mu_);
  return replaced_;
}

}  // namespace dragoman::server
