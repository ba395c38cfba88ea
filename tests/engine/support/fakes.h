// Fakes for tests of the scheduler: a manual clock, a counting observer, a recording owner.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/observer.h"
#include "engine/base/mutex.h"
#include "engine/schedule/ledger.h"
#include "engine/schedule/segment.h"

namespace dragoman::testing {

class FakeClock : public engine::Clock {
 public:
  engine::Nanos Now() const override { return now_.load(); }
  void Advance(engine::Nanos by) { now_.fetch_add(by); }

 private:
  std::atomic<engine::Nanos> now_{1};
};

class CountingObserver : public engine::EngineObserver {
 public:
  void OnStep(const Step& step) override {
    ++steps;
    row_steps += step.rows;
    steps_beside_pass += step.beside_pass ? 1 : 0;
  }
  void OnEncode(int segments, int64_t tokens, int64_t padding) override {
    encoded_segments += segments;
    encoded_tokens += tokens;
    padded_tokens += padding;
  }
  void OnStage(engine::Stage, engine::Nanos) override {}
  void OnJobTokenized(int64_t, int) override {}
  void OnSegmentTranslated(int64_t, int64_t) override { ++translated; }
  void OnSegmentSearchedAgain() override { ++searched_again; }
  void OnSuspicious(std::string_view) override { ++suspicious; }
  void OnJobTranslated(int64_t) override {}
  void OnSegmentCancelled(engine::Stage stage, engine::CancelCause, int64_t wasted) override {
    ++cancelled;
    wasted_tokens += wasted;
    last_cancelled_stage = stage;
  }
  void OnError(const char*) override { ++errors; }

  std::atomic<int64_t> steps{0}, row_steps{0}, steps_beside_pass{0}, encoded_segments{0},
      encoded_tokens{0}, padded_tokens{0}, translated{0}, searched_again{0}, suspicious{0},
      cancelled{0}, wasted_tokens{0}, errors{0};
  std::atomic<engine::Stage> last_cancelled_stage{engine::Stage::kTokenize};
};

// Records the outcomes of its segments by Segment::index. Counts outcomes as a job does.
class RecordingOwner : public engine::SegmentOwner {
 public:
  explicit RecordingOwner(engine::Ledger* ledger) : ledger_(ledger) {}

  std::optional<engine::CancelCause> abandoned() const override {
    const int cause = cause_.load();
    if (cause < 0) return std::nullopt;
    return static_cast<engine::CancelCause>(cause);
  }
  void Abandon(engine::CancelCause cause) { cause_.store(static_cast<int>(cause)); }
  void OnStarted() override { ++started; }
  void OnDeadline() override { Abandon(engine::CancelCause::kDeadline); }
  void OnPartial(const engine::Segment& segment, std::span<const int32_t> tokens) override {
    engine::MutexLock lock(&mu_);
    partials_[segment.index].emplace_back(tokens.begin(), tokens.end());
  }
  bool SearchAgain(engine::Segment* segment,
                   std::span<const engine::DecodedHypothesis> found) override {
    return search_again && search_again(segment, found);
  }
  void OnDecoded(std::unique_ptr<engine::Segment> segment,
                 std::vector<engine::DecodedHypothesis> hypotheses) override {
    ledger_->End(segment->running,
                 engine::OutcomeOf(hypotheses.empty() ? kernels::FinishReason::kNoOutput
                                                      : hypotheses.front().reason));
    engine::MutexLock lock(&mu_);
    results_[segment->index] = std::move(hypotheses);
    changed_.NotifyAll();
  }
  void OnFailed(std::unique_ptr<engine::Segment> segment, const absl::Status& status) override {
    engine::MutexLock lock(&mu_);
    failures_[segment->index] = status;
    changed_.NotifyAll();
  }

  // Waits until this many segments have a result or have failed.
  void WaitFor(size_t segments) {
    engine::MutexLock lock(&mu_);
    while (results_.size() + failures_.size() < segments) changed_.Wait(&mu_);
  }
  std::map<int, std::vector<engine::DecodedHypothesis>> results() const {
    engine::MutexLock lock(&mu_);
    return results_;
  }
  std::map<int, absl::Status> failures() const {
    engine::MutexLock lock(&mu_);
    return failures_;
  }
  std::map<int, std::vector<std::vector<int32_t>>> partials() const {
    engine::MutexLock lock(&mu_);
    return partials_;
  }

  std::atomic<int> started{0};
  // Answers SearchAgain; unset: no segment is searched again. Set it before the loop runs.
  std::function<bool(engine::Segment*, std::span<const engine::DecodedHypothesis>)> search_again;

 private:
  engine::Ledger* const ledger_;
  std::atomic<int> cause_{-1};
  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  std::map<int, std::vector<engine::DecodedHypothesis>> results_ ABSL_GUARDED_BY(mu_);
  std::map<int, absl::Status> failures_ ABSL_GUARDED_BY(mu_);
  std::map<int, std::vector<std::vector<int32_t>>> partials_ ABSL_GUARDED_BY(mu_);
};

// Reports whether accepted segments equal all outcomes plus waiting and running ones.
inline bool Balanced(const engine::SegmentCounts& c) {
  return c.accepted == c.eos + c.length + c.constraints_unmet + c.no_output + c.cancelled +
                           c.deadline + c.error + c.waiting + c.running;
}

}  // namespace dragoman::testing
