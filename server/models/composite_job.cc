#include "server/models/composite_job.h"

#include <algorithm>
#include <utility>

#include "server/base/steady_clock.h"
#include "server/models/pivot_engine.h"
#include "server/models/pivot_parts.h"

namespace dragoman::server {
namespace {

// Bounds on the time between two attempts to submit to a full queue.
constexpr engine::Nanos kShortestWait = 10 * kNanosPerMilli;
constexpr engine::Nanos kLongestWait = kNanosPerSecond;

// Returns the status that an engine gives a job that was cancelled for this cause.
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

// Returns the cause with which to cancel the other legs after one leg ended with `status`.
engine::CancelCause CauseOf(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kDeadlineExceeded) return engine::CancelCause::kDeadline;
  if (status.code() == absl::StatusCode::kUnavailable) return engine::CancelCause::kDrain;
  if (status.code() == absl::StatusCode::kUnauthenticated) return engine::CancelCause::kRevoked;
  return engine::CancelCause::kClient;
}

}  // namespace

struct CompositeJob::Part {
  // Constant after the constructor, except that the plans are moved out.
  JobPart given;
  PivotPlan* pivot = nullptr;   // given.plan, if it goes through a pivot
  engine::JobId pivot_job = 0;  // set by StartPart

  // The first engine's results by item. The result of an item is constant once the item is in
  // `ready` or was reported.
  std::vector<engine::ItemResult> firsts;
  // Guarded by mu_.
  std::vector<int> ready;  // items for the second engine
  int64_t left = 0;        // items that the second engine has not taken yet
  bool armed = false;      // the timer will call SubmitSecond

  int ItemOf(int item) const { return given.items[static_cast<size_t>(item)]; }
};

// The sink of a leg. An item's index in the leg's job differs from its index in the CompositeJob.
class CompositeJob::LegSink final : public engine::TranslationSink {
 public:
  // `items` converts indices of the leg's job to indices of the part. It is empty unless `stage` is
  // kFromPivot, because the indices are otherwise the same.
  LegSink(std::shared_ptr<CompositeJob> job, Part* part, int leg, Stage stage,
          std::vector<int> items = {})
      : part(part), leg(leg), stage(stage), job_(std::move(job)), items_(std::move(items)) {}

  void OnSegment(engine::SegmentUpdate update) override {
    if (stage == Stage::kIntoPivot) return;
    const int item = ItemOf(update.item);
    update.item = part->ItemOf(item);
    if (stage == Stage::kFromPivot) {
      update.source = SourceOf(part->firsts[static_cast<size_t>(item)], update.source);
    }
    job_->Tell(
        [update = std::move(update)](engine::TranslationSink* sink) { sink->OnSegment(update); });
  }
  void OnItem(engine::ItemResult result) override {
    if (stage == Stage::kIntoPivot && result.status.ok()) {
      job_->OnFirstItem(part, std::move(result));
      return;
    }
    if (stage == Stage::kIntoPivot) job_->Leave(part, 1);
    const int item = ItemOf(result.index);
    if (stage == Stage::kFromPivot && result.status.ok()) {
      result = Compose(part->firsts[static_cast<size_t>(item)], std::move(result),
                       part->pivot->engine->PartOf(*part->pivot));
    }
    result.index = part->ItemOf(item);
    job_->Tell(
        [result = std::move(result)](engine::TranslationSink* sink) { sink->OnItem(result); });
  }
  void OnDone(const absl::Status& status, const engine::JobTimings& timings) override {
    job_->OnLegDone(*this, status, timings);
  }

  // Converts an item's number in the leg to its number in the part.
  int ItemOf(int item) const { return items_.empty() ? item : items_[static_cast<size_t>(item)]; }

  Part* const part;
  const int leg;
  const Stage stage;

 private:
  const std::shared_ptr<CompositeJob> job_;
  const std::vector<int> items_;
};

CompositeJob::CompositeJob(const engine::Clock* clock, std::vector<JobPart> parts,
                           std::vector<engine::ItemResult> done,
                           std::shared_ptr<engine::TranslationSink> sink)
    : clock_(clock), begun_(clock->Now()), done_(std::move(done)), queue_(std::move(sink)) {
  for (JobPart& part : parts) {
    auto made = std::make_unique<Part>();
    made->given = std::move(part);
    made->pivot = dynamic_cast<PivotPlan*>(made->given.plan.get());
    if (made->pivot != nullptr) made->firsts.resize(made->given.items.size());
    parts_.push_back(std::move(made));
  }
}

CompositeJob::~CompositeJob() = default;

engine::Admission CompositeJob::Start() {
  engine::Admission admission;
  for (const std::unique_ptr<Part>& part : parts_) {
    admission = StartPart(part.get());
    if (!admission.status.ok()) break;
  }
  if (!admission.status.ok()) {
    queue_.LetGo();
    Stop(admission.status, CauseOf(admission.status));
  }
  for (engine::ItemResult& result : done_) {
    Tell([result = std::move(result)](engine::TranslationSink* sink) { sink->OnItem(result); });
  }
  done_.clear();
  {
    engine::MutexLock lock(&mu_);
    started_ = true;
  }
  queue_.Open();
  FinishIfOver();
  return admission;
}

engine::Admission CompositeJob::StartPart(Part* part) {
  PivotPlan* const pivot = part->pivot;
  engine::Engine* engine = part->given.engine;
  if (pivot != nullptr) {
    engine::Admission entered = pivot->engine->Enter(shared_from_this(), *pivot);
    if (!entered.status.ok()) return entered;
    part->pivot_job = entered.job;
    engine = &pivot->engine->first();
    engine::MutexLock lock(&mu_);
    part->left = static_cast<int64_t>(part->given.items.size());
  }
  int leg = 0;
  {
    engine::MutexLock lock(&mu_);
    leg = AddLeg(engine);
  }
  engine::Admission admission =
      SubmitLeg(leg, engine, std::move(pivot != nullptr ? pivot->first : part->given.plan),
                std::make_shared<LegSink>(shared_from_this(), part, leg,
                                          pivot != nullptr ? Stage::kIntoPivot : Stage::kOnly));
  if (!admission.status.ok()) {
    engine::MutexLock lock(&mu_);
    legs_.erase(leg);
  } else if (pivot != nullptr) {
    admission.job = part->pivot_job;
  }
  return admission;
}

int CompositeJob::AddLeg(engine::Engine* engine) {
  legs_[++last_leg_].engine = engine;
  return last_leg_;
}

engine::Admission CompositeJob::SubmitLeg(int leg, engine::Engine* engine,
                                          std::unique_ptr<engine::Plan> plan,
                                          std::shared_ptr<LegSink> sink) {
  engine::Admission admission = engine->Submit(std::move(plan), std::move(sink));
  if (!admission.status.ok()) return admission;
  std::optional<engine::CancelCause> cause;
  {
    engine::MutexLock lock(&mu_);
    const auto at = legs_.find(leg);  // end(): the leg has ended
    if (at != legs_.end()) at->second.job = admission.job;
    if (stopped_.has_value()) cause = cause_;
  }
  // The job was stopped before legs_ had this leg's job, because another leg has ended with an
  // error or Cancel was called.
  if (cause.has_value()) engine->Cancel(admission.job, *cause);
  return admission;
}

void CompositeJob::OnLegDone(const LegSink& leg, const absl::Status& status,
                             const engine::JobTimings& timings) {
  Part* const part = leg.part;
  bool arm = false;
  {
    engine::MutexLock lock(&mu_);
    legs_.erase(leg.leg);
    timings_.tokenize += timings.tokenize;
    timings_.queue += timings.queue;
    timings_.encode += timings.encode;
    timings_.slot_wait += timings.slot_wait;
    timings_.decode += timings.decode;
    timings_.detokenize += timings.detokenize;
    if (timings_.tokenized == 0) timings_.tokenized = timings.tokenized;
    for (engine::SegmentTimes times : timings.segments) {
      times.item = part->ItemOf(leg.ItemOf(times.item));
      timings_.segments.push_back(times);
    }
    if (leg.stage == Stage::kIntoPivot && status.ok() && !part->ready.empty()) {
      std::sort(part->ready.begin(), part->ready.end());
      arm = !std::exchange(part->armed, true);
    }
  }
  if (arm) Arm(part, clock_->Now());
  if (!status.ok()) Stop(status, CauseOf(status));
  FinishIfOver();
}

void CompositeJob::OnFirstItem(Part* part, engine::ItemResult result) {
  const int item = result.index;
  bool arm = false;
  {
    engine::MutexLock lock(&mu_);
    part->firsts[static_cast<size_t>(item)] = std::move(result);
    part->ready.push_back(item);
    // Random draws depend on the number of an item in its job. So with sampling OnLegDone submits
    // all items together, in order.
    if (!part->pivot->job.decoding.sampling.has_value()) arm = !std::exchange(part->armed, true);
  }
  if (arm) Arm(part, clock_->Now());
}

void CompositeJob::Arm(Part* part, engine::Nanos when) {
  part->pivot->engine->timer()->Arm(when, [weak = weak_from_this(), part] {
    if (const auto job = weak.lock()) job->SubmitSecond(part);
  });
}

void CompositeJob::SubmitSecond(Part* part) {
  const std::shared_ptr<engine::TranslationSink> keep = queue_.sink();
  engine::Engine* engine = nullptr;
  std::vector<int> items;
  int leg = 0;
  {
    engine::MutexLock lock(&mu_);
    part->armed = false;
    if (finished_) return;
    if (!stopped_.has_value()) items.swap(part->ready);
    if (!items.empty()) {
      engine = &part->pivot->engine->second();
      leg = AddLeg(engine);
    }
  }
  if (items.empty()) {
    FinishIfOver();
    return;
  }
  const auto count = static_cast<int64_t>(items.size());
  absl::StatusOr<std::unique_ptr<engine::Plan>> plan = engine->Prepare(SecondLeg(
      part->pivot->job, part->pivot->prefixes, part->pivot->between, items, part->firsts));
  engine::Admission admission;
  if (plan.ok()) {
    admission = SubmitLeg(
        leg, engine, *std::move(plan),
        std::make_shared<LegSink>(shared_from_this(), part, leg, Stage::kFromPivot, items));
  } else {
    admission.status = plan.status();
  }
  if (admission.status.ok()) {
    Leave(part, count);
    return;
  }
  if (admission.status.code() == absl::StatusCode::kResourceExhausted) {
    Wait(part, leg, std::move(items), admission.retry_after);
    return;
  }
  Stop(admission.status, CauseOf(admission.status));
  {
    engine::MutexLock lock(&mu_);
    legs_.erase(leg);
  }
  FinishIfOver();
}

void CompositeJob::Wait(Part* part, int leg, std::vector<int> items, engine::Nanos retry_after) {
  bool arm = false;
  {
    engine::MutexLock lock(&mu_);
    legs_.erase(leg);
    items.insert(items.end(), part->ready.begin(), part->ready.end());
    part->ready = std::move(items);
    // Another item may have armed the timer meanwhile. When that fires, SubmitSecond submits all
    // items that are ready.
    if (!stopped_.has_value()) arm = !std::exchange(part->armed, true);
  }
  if (arm) Arm(part, clock_->Now() + std::clamp(retry_after, kShortestWait, kLongestWait));
  FinishIfOver();
}

void CompositeJob::Leave(Part* part, int64_t items) {
  {
    engine::MutexLock lock(&mu_);
    items = std::min(items, part->left);  // 0 after the end, when Leave was called for all items
    part->left -= items;
  }
  part->pivot->engine->Leave(part->pivot->job.client, items);
}

void CompositeJob::Cancel(engine::CancelCause cause) { Stop(StatusOf(cause), cause); }

void CompositeJob::Stop(absl::Status status, engine::CancelCause cause) {
  const std::shared_ptr<engine::TranslationSink> keep = queue_.sink();
  std::vector<Leg> running;
  {
    engine::MutexLock lock(&mu_);
    if (finished_ || stopped_.has_value()) return;
    stopped_ = std::move(status);
    cause_ = cause;
    for (const auto& [number, leg] : legs_) {
      if (leg.job.has_value()) running.push_back(leg);
    }
  }
  for (const Leg& leg : running) leg.engine->Cancel(*leg.job, cause);
  FinishIfOver();
}

void CompositeJob::FinishIfOver() {
  const std::shared_ptr<CompositeJob> self = shared_from_this();
  absl::Status status;
  engine::JobTimings timings;
  {
    engine::MutexLock lock(&mu_);
    if (finished_ || !started_ || !legs_.empty()) return;
    if (!stopped_.has_value()) {
      for (const std::unique_ptr<Part>& part : parts_) {
        if (part->armed || !part->ready.empty()) return;
      }
    }
    finished_ = true;
    if (stopped_.has_value()) status = *stopped_;
    timings_.total = clock_->Now() - begun_;
    timings = timings_;
  }
  for (const std::unique_ptr<Part>& part : parts_) {
    if (part->pivot_job != 0) Leave(part.get(), static_cast<int64_t>(part->given.items.size()));
  }
  const auto end = [this](SinkQueue* queue) {
    for (const std::unique_ptr<Part>& part : parts_) {
      if (part->pivot_job != 0) part->pivot->engine->Forget(part->pivot_job);
    }
    // The sink is released last, because that may destroy the engines.
    const std::shared_ptr<engine::TranslationSink> last = queue->LetGo();
  };
  if (queue_.sink() == nullptr) {
    end(&queue_);  // the job was refused: the sink is not called
    return;
  }
  Tell([this, end, status, timings](engine::TranslationSink* sink) {
    sink->OnDone(status, timings);
    end(&queue_);
  });
}

void CompositeJob::Tell(SinkQueue::Call call) {
  const std::shared_ptr<CompositeJob> self = shared_from_this();  // `call` may release all others
  queue_.Tell(std::move(call));
}

}  // namespace dragoman::server
