#include "server/models/pivot_job.h"

#include <algorithm>
#include <utility>

#include "server/base/steady_clock.h"
#include "server/models/job_parts.h"
#include "server/models/pivot_parts.h"

namespace dragoman::server {
namespace {

// Bounds on the time between two attempts at a full queue.
constexpr engine::Nanos kShortestWait = 10 * kNanosPerMilli;
constexpr engine::Nanos kLongestWait = kNanosPerSecond;

}  // namespace

class PivotJob::FirstSink final : public engine::TranslationSink {
 public:
  explicit FirstSink(std::shared_ptr<PivotJob> job) : job_(std::move(job)) {}
  void OnSegment(engine::SegmentUpdate /*update*/) override {}
  void OnItem(engine::ItemResult result) override { job_->OnFirstItem(std::move(result)); }
  void OnDone(const absl::Status& status, const engine::JobTimings& timings) override {
    job_->OnFirstDone(status, timings);
  }

 private:
  const std::shared_ptr<PivotJob> job_;
};

// The sink of a batch of items, which have different numbers in the second engine's job.
class PivotJob::SecondSink final : public engine::TranslationSink {
 public:
  SecondSink(std::shared_ptr<PivotJob> job, int batch, std::vector<int> items)
      : job_(std::move(job)), batch_(batch), items_(std::move(items)) {}
  void OnSegment(engine::SegmentUpdate update) override {
    job_->OnSecondSegment(items_, std::move(update));
  }
  void OnItem(engine::ItemResult result) override { job_->OnSecondItem(items_, std::move(result)); }
  void OnDone(const absl::Status& status, const engine::JobTimings& timings) override {
    job_->OnSecondDone(batch_, items_, status, timings);
  }

 private:
  const std::shared_ptr<PivotJob> job_;
  const int batch_;
  const std::vector<int> items_;
};

PivotJob::PivotJob(PivotEngine* engine, engine::JobId id, engine::TranslationJob job,
                   std::shared_ptr<engine::TranslationSink> sink)
    : engine_(engine),
      clock_(engine->clock_),
      timer_(engine->timer_),
      id_(id),
      job_(std::move(job)),
      languages_(static_cast<const PivotLanguages&>(*job_.languages)),
      begun_(clock_->Now()),
      queue_(std::move(sink)),
      firsts_(job_.contents.size()),
      left_(static_cast<int64_t>(job_.contents.size())) {}

engine::Admission PivotJob::Start() {
  engine::TranslationJob leg = FirstLeg(job_, languages_.between);
  leg.languages = languages_.first;
  engine::Admission admission =
      engine_->first_.Submit(std::move(leg), std::make_shared<FirstSink>(shared_from_this()));
  if (!admission.status.ok()) return admission;
  std::optional<engine::CancelCause> cause;
  {
    engine::MutexLock lock(&mu_);
    first_ = admission.job;
    if (stopped_.has_value()) cause = cause_;
  }
  if (cause.has_value()) engine_->first_.Cancel(admission.job, *cause);
  admission.job = id_;
  return admission;
}

void PivotJob::Cancel(engine::CancelCause cause) { Stop(StatusOf(cause), cause); }

void PivotJob::Stop(absl::Status status, engine::CancelCause cause) {
  const std::shared_ptr<engine::TranslationSink> keep = queue_.sink();
  std::optional<engine::JobId> first;
  std::vector<engine::JobId> seconds;
  {
    engine::MutexLock lock(&mu_);
    if (finished_ || stopped_.has_value()) return;
    stopped_ = std::move(status);
    cause_ = cause;
    if (!first_over_) first = first_;
    for (const auto& [batch, job] : seconds_) {
      if (job.has_value()) seconds.push_back(*job);
    }
  }
  if (first.has_value()) engine_->first_.Cancel(*first, cause);
  for (const engine::JobId job : seconds) engine_->second_.Cancel(job, cause);
  FinishIfOver();
}

void PivotJob::OnFirstItem(engine::ItemResult result) {
  if (!result.status.ok()) {
    Leave(1);
    Tell([result = std::move(result)](engine::TranslationSink* sink) { sink->OnItem(result); });
    return;
  }
  const int item = result.index;
  bool arm = false;
  {
    engine::MutexLock lock(&mu_);
    firsts_[static_cast<size_t>(item)] = std::move(result);
    ready_.push_back(item);
    // Random draws depend on the number of an item in its job. So with sampling OnFirstDone submits
    // all items together, in order.
    if (!job_.decoding.sampling.has_value()) arm = !std::exchange(armed_, true);
  }
  if (arm) Arm(clock_->Now());
}

void PivotJob::OnFirstDone(const absl::Status& status, const engine::JobTimings& timings) {
  bool arm = false;
  {
    engine::MutexLock lock(&mu_);
    first_over_ = true;
    AddTimings(timings, nullptr, &timings_);
    std::sort(ready_.begin(), ready_.end());
    if (status.ok() && !ready_.empty()) arm = !std::exchange(armed_, true);
  }
  if (arm) Arm(clock_->Now());
  if (!status.ok()) Stop(status, CauseOf(status));
  FinishIfOver();
}

void PivotJob::Arm(engine::Nanos when) {
  timer_->Arm(when, [weak = weak_from_this()] {
    if (const auto job = weak.lock()) job->SubmitSecond();
  });
}

void PivotJob::SubmitSecond() {
  const std::shared_ptr<engine::TranslationSink> keep = queue_.sink();
  std::vector<int> items;
  int batch = 0;
  {
    engine::MutexLock lock(&mu_);
    armed_ = false;
    if (finished_) return;
    if (!stopped_.has_value()) items.swap(ready_);
    if (!items.empty()) {
      batch = ++batches_;
      seconds_[batch] = std::nullopt;
    }
  }
  if (items.empty()) {
    FinishIfOver();
    return;
  }
  engine::TranslationJob leg = SecondLeg(job_, languages_.between, items, firsts_);
  leg.languages = languages_.second;
  const engine::Admission admission = engine_->second_.Submit(
      std::move(leg), std::make_shared<SecondSink>(shared_from_this(), batch, items));
  if (admission.status.ok()) {
    Leave(static_cast<int64_t>(items.size()));
    std::optional<engine::CancelCause> cause;
    {
      engine::MutexLock lock(&mu_);
      const auto at = seconds_.find(batch);  // none: it has ended
      if (at != seconds_.end()) at->second = admission.job;
      if (stopped_.has_value()) cause = cause_;
    }
    if (cause.has_value()) engine_->second_.Cancel(admission.job, *cause);
    return;
  }
  if (admission.status.code() == absl::StatusCode::kResourceExhausted) {
    Wait(batch, std::move(items), admission.retry_after);
    return;
  }
  if (admission.reason == engine::RejectReason::kTooLarge) {
    Leave(static_cast<int64_t>(items.size()));
    for (const int item : items) {
      engine::ItemResult failed;
      failed.index = item;
      failed.status = admission.status;
      Tell([failed](engine::TranslationSink* sink) { sink->OnItem(failed); });
    }
  } else {
    Stop(admission.status, CauseOf(admission.status));
  }
  {
    engine::MutexLock lock(&mu_);
    seconds_.erase(batch);
  }
  FinishIfOver();
}

void PivotJob::Wait(int batch, std::vector<int> items, engine::Nanos retry_after) {
  bool arm = false;
  {
    engine::MutexLock lock(&mu_);
    seconds_.erase(batch);
    items.insert(items.end(), ready_.begin(), ready_.end());
    ready_ = std::move(items);
    // Another item may have armed the timer meanwhile. That attempt is enough.
    if (!stopped_.has_value()) arm = !std::exchange(armed_, true);
  }
  if (arm) Arm(clock_->Now() + std::clamp(retry_after, kShortestWait, kLongestWait));
  FinishIfOver();
}

void PivotJob::OnSecondSegment(const std::vector<int>& items, engine::SegmentUpdate update) {
  update.item = items[static_cast<size_t>(update.item)];
  update.source = SourceOf(firsts_[static_cast<size_t>(update.item)], update.source);
  Tell([update = std::move(update)](engine::TranslationSink* sink) { sink->OnSegment(update); });
}

void PivotJob::OnSecondItem(const std::vector<int>& items, engine::ItemResult result) {
  const int item = items[static_cast<size_t>(result.index)];
  result.index = item;
  if (result.status.ok()) {
    engine::PivotPart pivot;
    pivot.first_model = engine_->first_name_;
    pivot.second_model = engine_->second_name_;
    pivot.language = languages_.between;
    result = Compose(firsts_[static_cast<size_t>(item)], std::move(result), std::move(pivot));
  }
  Tell([result = std::move(result)](engine::TranslationSink* sink) { sink->OnItem(result); });
}

void PivotJob::OnSecondDone(int batch, const std::vector<int>& items, const absl::Status& status,
                            const engine::JobTimings& timings) {
  {
    engine::MutexLock lock(&mu_);
    seconds_.erase(batch);
    AddTimings(timings, &items, &timings_);
  }
  if (!status.ok()) Stop(status, CauseOf(status));
  FinishIfOver();
}

void PivotJob::Leave(int64_t items) {
  {
    engine::MutexLock lock(&mu_);
    items = std::min(items, left_);  // 0 after the end, when Leave was called for all items
    left_ -= items;
  }
  engine_->Leave(engine::ClientNumber(job_.client), items);
}

void PivotJob::FinishIfOver() {
  absl::Status status;
  engine::JobTimings timings;
  int64_t left = 0;
  {
    engine::MutexLock lock(&mu_);
    if (finished_ || !first_over_ || !seconds_.empty()) return;
    if (!stopped_.has_value() && (armed_ || !ready_.empty())) return;
    finished_ = true;
    left = std::exchange(left_, 0);
    if (stopped_.has_value()) status = *stopped_;
    timings_.total = clock_->Now() - begun_;
    timings = timings_;
  }
  engine_->Leave(engine::ClientNumber(job_.client), left);
  Tell([this, status, timings](engine::TranslationSink* sink) {
    sink->OnDone(status, timings);
    engine_->Forget(id_);
    // Last, because the release of the sink may destroy the engine.
    const std::shared_ptr<engine::TranslationSink> last = queue_.LetGo();
  });
}

void PivotJob::Tell(SinkQueue::Call call) {
  const std::shared_ptr<PivotJob> self = shared_from_this();  // the call may release the others
  queue_.Tell(std::move(call));
}

}  // namespace dragoman::server
