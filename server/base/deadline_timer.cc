#include "server/base/deadline_timer.h"
#include "engine/base/thread_name.h"

#include <algorithm>
#include <chrono>

namespace dragoman::server {
namespace {

// An idle thread wakes up at least this often. Arm wakes it at once.
constexpr engine::Nanos kLongestSleep = 60'000'000'000;

}  // namespace

DeadlineTimer::~DeadlineTimer() {
  {
    engine::MutexLock lock(&mu_);
    stop_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void DeadlineTimer::Start() {
  thread_ = std::thread([this] { Run(); });
}

DeadlineTimer::Id DeadlineTimer::Arm(engine::Nanos when, std::function<void()> fire) {
  bool earliest = false;
  Id id = kNone;
  {
    engine::MutexLock lock(&mu_);
    id = ++last_id_;
    if (when == engine::kNoDeadline) return id;
    const auto at = queue_.emplace(std::make_pair(when, id), std::move(fire)).first;
    times_.emplace(id, when);
    earliest = at == queue_.begin();
  }
  if (earliest) changed_.NotifyOne();
  return id;
}

bool DeadlineTimer::Disarm(Id id) {
  std::function<void()> dropped;  // destroyed without the lock
  engine::MutexLock lock(&mu_);
  const auto time = times_.find(id);
  if (time == times_.end()) return false;
  const auto entry = queue_.find({time->second, id});
  dropped = std::move(entry->second);
  queue_.erase(entry);
  times_.erase(time);
  return true;
}

int DeadlineTimer::RunDue() {
  int fired = 0;
  while (true) {
    std::function<void()> fire;
    {
      engine::MutexLock lock(&mu_);
      if (stop_ || queue_.empty() || queue_.begin()->first.first > clock_->Now()) return fired;
      const auto entry = queue_.begin();
      times_.erase(entry->first.second);
      fire = std::move(entry->second);
      queue_.erase(entry);
    }
    fire();
    ++fired;
  }
}

int64_t DeadlineTimer::armed() const {
  engine::MutexLock lock(&mu_);
  return static_cast<int64_t>(queue_.size());
}

void DeadlineTimer::Run() {
  engine::NameThisThread("timer");
  while (true) {
    RunDue();
    engine::MutexLock lock(&mu_);
    if (stop_) return;
    const engine::Nanos now = clock_->Now();
    const engine::Nanos next = queue_.empty() ? now + kLongestSleep : queue_.begin()->first.first;
    if (next > now) {
      changed_.WaitFor(&mu_, std::chrono::nanoseconds(std::min(next - now, kLongestSleep)));
    }
  }
}

}  // namespace dragoman::server
