#include "server/base/deadline_timer.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include "engine/base/thread_name.h"

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

DeadlineTimer::Id DeadlineTimer::Arm(engine::Nanos when, Function fire) {
  bool wake = false;
  Id id = kNone;
  {
    engine::MutexLock lock(&mu_);
    id = ++last_id_;
    if (when == engine::kNoDeadline) return id;
    waiting_.emplace(id, std::move(fire));
    heap_.emplace_back(when, id);
    std::ranges::push_heap(heap_, std::greater<>());
    wake = when < asleep_until_;
  }
  if (wake) changed_.NotifyOne();
  return id;
}

bool DeadlineTimer::Disarm(Id id) {
  Function dropped;  // destroyed without the lock
  engine::MutexLock lock(&mu_);
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return false;
  dropped = std::move(found->second);
  waiting_.erase(found);
  if (heap_.size() > 2 * waiting_.size() + 64) {
    size_t kept = 0;
    for (const Entry& entry : heap_) {
      if (waiting_.contains(entry.second)) heap_[kept++] = entry;
    }
    heap_.resize(kept);
    std::ranges::make_heap(heap_, std::greater<>());
  }
  return true;
}

const DeadlineTimer::Entry* DeadlineTimer::Earliest() {
  while (!heap_.empty() && !waiting_.contains(heap_.front().second)) RemoveEarliest();
  return heap_.empty() ? nullptr : &heap_.front();
}

void DeadlineTimer::RemoveEarliest() {
  std::ranges::pop_heap(heap_, std::greater<>());
  heap_.pop_back();
}

int DeadlineTimer::RunDue() {
  int fired = 0;
  while (true) {
    Function fire;
    {
      engine::MutexLock lock(&mu_);
      const Entry* const next = Earliest();
      if (stop_ || next == nullptr || next->first > clock_->Now()) return fired;
      fire = std::move(waiting_.extract(next->second).mapped());
      RemoveEarliest();
    }
    fire();
    ++fired;
  }
}

int64_t DeadlineTimer::armed() const {
  engine::MutexLock lock(&mu_);
  return static_cast<int64_t>(waiting_.size());
}

void DeadlineTimer::Run() {
  engine::NameThisThread("timer");
  while (true) {
    RunDue();
    engine::MutexLock lock(&mu_);
    if (stop_) return;
    const engine::Nanos now = clock_->Now();
    const Entry* const earliest = Earliest();
    const engine::Nanos next =
        earliest == nullptr ? now + kLongestSleep : std::min(earliest->first, now + kLongestSleep);
    if (next <= now) continue;
    asleep_until_ = next;
    changed_.WaitFor(&mu_, std::chrono::nanoseconds(next - now));
    asleep_until_ = 0;
  }
}

}  // namespace dragoman::server
