#include "client/load/load_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <unordered_map>

#include "client/status_map.h"

namespace dragoman::client {
namespace {

using TimePoint = ClientClock::TimePoint;
using std::chrono::nanoseconds;

// How long a caller waits after a refusal that does not say when to retry. Without this wait, a
// closed loop would send calls as fast as possible to a server that has ended.
constexpr nanoseconds kPauseWithoutHint = std::chrono::milliseconds(10);

// The intended start times of calls, in order.
class Schedule {
 public:
  virtual ~Schedule() = default;
  // Returns the intended start of the next call, or nullopt while it depends on an answer.
  virtual std::optional<TimePoint> Next() const = 0;
  // Call when the next call has been sent.
  virtual void Sent() = 0;
  // Call when a call has ended. Its caller may start its next call at `at`.
  virtual void Answered(TimePoint at) = 0;
};

class OpenLoop final : public Schedule {
 public:
  OpenLoop(const LoadOptions& options, TimePoint start)
      : constant_(options.constant),
        mean_gap_(1e9 / options.rate),
        start_(start),
        random_(options.seed) {
    if (!constant_) OpenLoop::Sent();
  }
  std::optional<TimePoint> Next() const override {
    return start_ + nanoseconds(std::llround(offset_));
  }
  void Sent() override {
    if (constant_) {
      offset_ = mean_gap_ * static_cast<double>(++sent_);
    } else {
      offset_ += std::exponential_distribution<double>(1 / mean_gap_)(random_);
    }
  }
  void Answered(TimePoint) override {}

 private:
  const bool constant_;
  const double mean_gap_;  // ns
  const TimePoint start_;
  std::mt19937_64 random_;
  int64_t sent_ = 0;
  double offset_ = 0;  // the intended start of the next call, in ns after start_
};

class ClosedLoop final : public Schedule {
 public:
  ClosedLoop(const LoadOptions& options, TimePoint start) {
    for (int i = 0; i < options.concurrency; ++i) ready_.push(start);
  }
  std::optional<TimePoint> Next() const override {
    if (ready_.empty()) return std::nullopt;
    return ready_.top();
  }
  void Sent() override { ready_.pop(); }
  void Answered(TimePoint at) override { ready_.push(at); }

 private:
  // One entry per caller without a call in flight: the intended start of the caller's next call.
  std::priority_queue<TimePoint, std::vector<TimePoint>, std::greater<TimePoint>> ready_;
};

class LoadRun {
 public:
  LoadRun(const LoadOptions& options, LoadDriver* driver)
      : options_(options),
        driver_(*driver),
        start_(driver->Now()),
        measured_from_(start_ + options.warmup),
        end_(measured_from_ + options.duration) {
    if (options.rate > 0) {
      schedule_ = std::make_unique<OpenLoop>(options, start_);
    } else {
      schedule_ = std::make_unique<ClosedLoop>(options, start_);
    }
  }

  LoadReport Go() {
    TimePoint last_answer = measured_from_;
    std::vector<LoadCompletion> completions;
    for (;;) {
      const bool more = SendDue();
      if (!more && in_flight_.empty()) break;
      const bool full = static_cast<int64_t>(in_flight_.size()) >= options_.max_in_flight;
      driver_.Wait(more && !full ? schedule_->Next() : std::nullopt, &completions);
      for (const LoadCompletion& completion : completions) {
        last_answer = std::max(last_answer, completion.finished);
        Count(completion);
      }
    }
    report_.failed += report_.sent - report_.answered;
    if (!used_up_) {
      Measure(LoadReport::Window::kDuration, end_ - measured_from_, window_work_);
    } else if (busy_from_.has_value() && busy_until_ > *busy_from_) {
      Measure(LoadReport::Window::kAllBusy, busy_until_ - *busy_from_, busy_work_);
    } else {
      Measure(LoadReport::Window::kToLastAnswer, last_answer - measured_from_, counted_work_);
    }
    return std::move(report_);
  }

 private:
  struct InFlight {
    TimePoint intended;
    bool counts;
  };

  struct Work {
    int64_t items = 0;
    int64_t characters = 0;
    int64_t source_tokens = 0;
    int64_t target_tokens = 0;

    void Add(const LoadCompletion& done) {
      items += done.items;
      characters += done.characters;
      source_tokens += done.source_tokens;
      target_tokens += done.target_tokens;
    }
  };

  void Measure(LoadReport::Window kind, nanoseconds window, const Work& work) {
    report_.window_kind = kind;
    report_.window = window;
    report_.items = work.items;
    report_.characters = work.characters;
    report_.source_tokens = work.source_tokens;
    report_.target_tokens = work.target_tokens;
  }

  // Extends the middle of the run (Window::kAllBusy) to `until`, the start of a call. Adds the work
  // of the answers before `until`. Later answers count when the next call starts.
  void GrowMiddle(TimePoint until) {
    if (!busy_from_.has_value()) return;
    busy_until_ = std::max(busy_until_, until);
    const auto later = [this](const LoadCompletion& done) { return done.finished >= busy_until_; };
    const auto first_in = std::partition(after_middle_.begin(), after_middle_.end(), later);
    for (auto it = first_in; it != after_middle_.end(); ++it) busy_work_.Add(*it);
    after_middle_.erase(first_in, after_middle_.end());
  }

  // Sends the calls that are due. Returns false if no further call will be sent.
  bool SendDue() {
    while (static_cast<int64_t>(in_flight_.size()) < options_.max_in_flight) {
      if (report_.sent >= options_.max_calls || (options_.enough && options_.enough())) {
        used_up_ = true;
        return false;
      }
      const std::optional<TimePoint> intended = schedule_->Next();
      // All callers of a closed loop wait for answers, so further calls depend on the next answer.
      if (!intended.has_value()) return true;
      if (*intended >= end_) return false;
      const TimePoint now = driver_.Now();
      if (*intended > now) return true;
      const bool counts = *intended >= measured_from_;
      in_flight_[next_call_] = {*intended, counts};
      if (counts) {
        ++report_.sent;
        report_.send_delay.Record(now - *intended);
        GrowMiddle(*intended);
      }
      schedule_->Sent();
      driver_.Send(next_call_++);
    }
    return true;
  }

  void Count(const LoadCompletion& done) {
    const auto it = in_flight_.find(done.call);
    if (it == in_flight_.end()) return;
    const InFlight call = it->second;
    in_flight_.erase(it);

    const bool refused = absl::IsResourceExhausted(done.status);
    const bool unavailable = absl::IsUnavailable(done.status);
    const RetryHint hint = RetryHintOf(done.status);
    const nanoseconds wait =
        refused || unavailable ? hint.delay.value_or(kPauseWithoutHint) : nanoseconds(0);
    schedule_->Answered(done.finished + wait);

    if (done.status.ok()) {
      if (done.finished >= measured_from_ && done.finished < end_) window_work_.Add(done);
      if (call.counts) counted_work_.Add(done);
      if (HasMiddle() && done.finished >= measured_from_) {
        busy_from_ = std::min(busy_from_.value_or(done.finished), done.finished);
        after_middle_.push_back(done);
      }
    }
    if (!call.counts) return;
    ++report_.answered;
    report_.refused += refused;
    report_.unavailable += unavailable;
    report_.accepted += !refused && !unavailable;
    report_.refused_with_hint += (refused || unavailable) && hint.delay.has_value();
    report_.failed += !done.status.ok() || !done.errors.empty();
    if (!done.status.ok()) {
      ++report_.errors[done.status.code()];
      if (report_.first_error.ok()) report_.first_error = done.status;
      return;
    }
    ++report_.ok;
    for (const auto& [code, count] : done.errors) report_.item_errors[code] += count;
    report_.latency.Record(done.finished - call.intended);
    if (done.first_message.has_value()) {
      report_.first_message.Record(*done.first_message - call.intended);
    }
  }

  // Reports whether the run may have a middle (Window::kAllBusy). A run without a warm-up has none:
  // all its calls count, so that a file can be sent exactly once.
  bool HasMiddle() const {
    return options_.rate <= 0 && options_.warmup > nanoseconds(0) &&
           options_.max_calls < std::numeric_limits<int64_t>::max();
  }

  const LoadOptions& options_;
  LoadDriver& driver_;
  const TimePoint start_;
  const TimePoint measured_from_;
  const TimePoint end_;
  std::unique_ptr<Schedule> schedule_;
  std::unordered_map<int64_t, InFlight> in_flight_;
  int64_t next_call_ = 0;
  bool used_up_ = false;  // max_calls have been sent
  Work window_work_;      // work done within the duration, whenever its call was sent
  Work counted_work_;     // the work of the calls that count
  // The middle of the run (Window::kAllBusy), if it has one: its time span, its work, and the work
  // of answers that are not yet in it.
  std::optional<TimePoint> busy_from_;
  TimePoint busy_until_;
  Work busy_work_;
  std::vector<LoadCompletion> after_middle_;
  LoadReport report_;
};

}  // namespace

LoadReport RunLoad(const LoadOptions& options, LoadDriver* driver) {
  return LoadRun(options, driver).Go();
}

}  // namespace dragoman::client
