#include "tests/gpu/bench/worker_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/schedule/segment.h"
#include "engine/schedule/worker.h"

namespace dragoman::bench {
namespace {

class SteadyClock : public engine::Clock {
 public:
  engine::Nanos Now() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

class StepCounter : public engine::EngineObserver {
 public:
  void OnStep(const Step& step) override {
    ++steps;
    rows += step.rows;
  }
  void OnEncode(int, int64_t, int64_t) override {}
  void OnStage(engine::Stage, engine::Nanos) override {}
  void OnJobTokenized(int64_t, int) override {}
  void OnSegmentTranslated(int64_t, int64_t) override {}
  void OnSegmentSearchedAgain() override {}
  void OnSuspicious(std::string_view) override {}
  void OnJobTranslated(int64_t) override {}
  void OnSegmentCancelled(engine::Stage, engine::CancelCause, int64_t) override {}
  void OnError(const char*) override {}

  std::atomic<int64_t> steps{0}, rows{0};
};

// Sends the segments, and records when the first and the last of the timed segments ended.
class Feeder : public engine::SegmentOwner, public std::enable_shared_from_this<Feeder> {
 public:
  Feeder(const WorkerRun& run, const engine::ModelSpec& spec, engine::RequestQueue* queue,
         engine::Ledger* ledger, const engine::Clock* clock)
      : run_(run), queue_(queue), ledger_(ledger), clock_(clock) {
    search_.beam = run.beam;
    search_.num_alternatives = 1;
    search_.max_tokens = search_.min_tokens = run.target_tokens;
    search_.eos = spec.tokens.eos;
    search_.forced_eos = kernels::ForcedEos::kModel;
    search_.stop_rule = kernels::StopRule::kFirstK;
    divisor_ = engine::LengthDivisors(run.target_tokens, 1.0F, kernels::LengthPenalty::kPower);
    pad_ = std::make_shared<const engine::ForbiddenTable>(
        std::vector<std::vector<int32_t>>{{spec.tokens.pad}});
    vocabulary_ = static_cast<uint32_t>(spec.shape.source_vocab - 2);
    eos_ = spec.tokens.eos;
  }

  void Send(int64_t count) {
    std::vector<std::unique_ptr<engine::Segment>> segments;
    {
      engine::MutexLock lock(&mu_);
      count = std::min(count, run_.segments - sent_);
      sent_ += count;
      for (int64_t i = 0; i < count; ++i) segments.push_back(MakeSegment());
    }
    if (segments.empty()) return;
    ledger_->Accept(count);
    engine::RequestQueue::Reservation reservation;
    static_cast<void>(queue_->Reserve(0, 1, count, count * run_.source_tokens, &reservation));
    static_cast<void>(queue_->Push(reservation, std::move(segments)));
  }

  std::optional<engine::CancelCause> abandoned() const override { return std::nullopt; }
  void OnStarted() override {}
  void OnDeadline() override {}
  void OnPartial(const engine::Segment&, std::span<const int32_t>) override {}
  void OnDecoded(std::unique_ptr<engine::Segment> segment,
                 std::vector<engine::DecodedHypothesis> hypotheses) override {
    const bool whole = !hypotheses.empty() &&
                       hypotheses[0].tokens.size() == static_cast<size_t>(run_.target_tokens);
    End(std::move(segment),
        whole ? absl::OkStatus() : absl::InternalError("a translation of another length"));
  }
  void OnFailed(std::unique_ptr<engine::Segment> segment, const absl::Status& status) override {
    End(std::move(segment), status);
  }

  // Waits until all segments have ended. Returns the first error.
  absl::Status Wait() {
    engine::MutexLock lock(&mu_);
    while (ended_ < run_.segments) changed_.Wait(&mu_);
    return status_;
  }
  double seconds() const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return static_cast<double>(last_ - first_) * 1e-9;
  }

 private:
  void End(std::unique_ptr<engine::Segment> segment, const absl::Status& status) {
    ledger_->End(segment->running, engine::Outcome::kEos);
    {
      engine::MutexLock lock(&mu_);
      if (status_.ok()) status_ = status;
      ++ended_;
      if (ended_ == std::max<int64_t>(1, run_.before)) first_ = clock_->Now();
      if (ended_ == run_.segments - run_.after) last_ = clock_->Now();
      changed_.NotifyAll();
    }
    if (run_.in_flight > 0) Send(1);
  }

  std::unique_ptr<engine::Segment> MakeSegment() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    auto segment = std::make_unique<engine::Segment>();
    for (int i = 0; i + 1 < run_.source_tokens; ++i) {
      segment->source.push_back(1 + static_cast<int32_t>(random_() % vocabulary_));
    }
    segment->source.push_back(eos_);
    segment->search = search_;
    segment->divisor = divisor_;
    segment->forbidden = pad_;
    segment->owner = shared_from_this();
    return segment;
  }

  const WorkerRun run_;
  engine::RequestQueue* const queue_;
  engine::Ledger* const ledger_;
  const engine::Clock* const clock_;
  kernels::SearchOptions search_;
  std::vector<float> divisor_;
  std::shared_ptr<const engine::ForbiddenTable> pad_;
  uint32_t vocabulary_ = 0;
  int32_t eos_ = 0;

  engine::Mutex mu_;
  engine::CondVar changed_;
  std::mt19937 random_ ABSL_GUARDED_BY(mu_){1};
  int64_t sent_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t ended_ ABSL_GUARDED_BY(mu_) = 0;
  engine::Nanos first_ ABSL_GUARDED_BY(mu_) = 0;
  engine::Nanos last_ ABSL_GUARDED_BY(mu_) = 0;
  absl::Status status_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

absl::StatusOr<WorkerTimes> RunWorker(const WorkerRun& run, const engine::ModelSpec& spec,
                                      const engine::Backend& backend) {
  const SteadyClock clock;
  StepCounter observer;
  engine::Ledger ledger;
  const engine::Policy policy({.capacity = run.capacity});
  engine::RequestQueue queue({run.segments, run.segments * run.source_tokens}, &clock);
  engine::WorkerConfig config;
  config.batch.max_rows = run.max_rows;
  config.batch.max_positions = PositionsOf(run);
  config.batch.start_token = spec.tokens.decoder_start;
  config.batch.vocabulary = spec.shape.target_vocab;
  config.encoded_segments = std::max<int64_t>(64, run.max_rows / run.beam);
  engine::PageRequest pages;
  pages.max_rows = run.max_rows;
  pages.longest_source = static_cast<int32_t>(kernels::KvLayout::PagesFor(run.source_tokens));
  absl::StatusOr<engine::PagePlan> plan = backend.PlanPages(pages);
  if (!plan.ok()) return plan.status();
  config.pages = *plan;
  auto feeder = std::make_shared<Feeder>(run, spec, &queue, &ledger, &clock);
  absl::Status status;
  {
    std::atomic<bool> dead{false};
    auto worker = engine::Worker::Create(
        config, backend, {&queue, &ledger, &policy, &clock, &observer}, [&] { dead = true; });
    if (!worker.ok()) return worker.status();
    feeder->Send(run.in_flight > 0 ? run.in_flight : run.segments);
    status = feeder->Wait();
    queue.Close();
  }
  if (!status.ok()) return status;
  WorkerTimes times;
  times.segments = run.segments - run.after - std::max<int64_t>(1, run.before);
  times.seconds = feeder->seconds();
  times.steps = observer.steps;
  times.rows_per_step =
      static_cast<double>(observer.rows) / static_cast<double>(std::max<int64_t>(1, times.steps));
  return times;
}

}  // namespace dragoman::bench
