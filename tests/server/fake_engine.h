// A scripted engine. It answers at once, holds jobs, or refuses them.
//
// Thread-safe. Calls sinks from one thread of its own, as a real engine does. Its Stats satisfy
// accepted = outcomes + waiting + running, with one segment per item.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/option_rules.h"
#include "engine/base/field_error.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

class FakeEngine : public engine::Engine {
 public:
  struct Held {
    engine::JobId id = 0;
    engine::TranslationJob job;
  };

  FakeEngine() {
    info_.name = "de-en";
    info_.family = "marian";
    info_.device = "cpu";
    info_.compute_type = "float32";
    info_.pairs = {{"de", "en"}};
    info_.max_rows = 16;
    info_.max_beam = 16;
    info_.default_beam = 4;
    thread_ = std::thread([this] { Run(); });
  }

  ~FakeEngine() override {
    Post(nullptr);
    thread_.join();
  }

  // Makes jobs wait for Finish, Play or Cancel. Otherwise each item gets its text in brackets at
  // once.
  void HoldJobs() {
    engine::MutexLock lock(&mu_);
    hold_ = true;
  }

  // Makes the next Submit return `refusal`.
  void RefuseNext(engine::Admission refusal) {
    engine::MutexLock lock(&mu_);
    refusals_.push_back(std::move(refusal));
  }

  // Sets the status of item `index` of answered jobs. The default is OK.
  void FailItem(int index, absl::Status status) {
    engine::MutexLock lock(&mu_);
    item_status_[index] = std::move(status);
  }

  void SetStalled(bool stalled) {
    engine::MutexLock lock(&mu_);
    stalled_ = stalled;
  }

  void SetLiveWorkers(int workers) {
    engine::MutexLock lock(&mu_);
    live_workers_ = workers;
  }

  // Makes Stats return `stats`.
  void SetStats(engine::EngineStats stats) {
    engine::MutexLock lock(&mu_);
    stats_ = std::move(stats);
  }

  // Waits until a job is held that no earlier call has returned. The job may already have ended.
  Held WaitHeld() {
    engine::MutexLock lock(&mu_);
    while (fresh_.empty()) changed_.Wait(&mu_);
    Held held = std::move(fresh_.front());
    fresh_.pop_front();
    return held;
  }

  // Runs a script for a held job on the engine's thread and waits for the script's end. The job
  // stays held. REQUIRES: the job has not ended.
  void Play(const Held& held, const std::function<void(engine::TranslationSink*)>& script) {
    bool done = false;
    Post([&] {
      std::shared_ptr<engine::TranslationSink> sink;
      {
        engine::MutexLock lock(&mu_);
        sink = jobs_.at(held.id).sink;
      }
      script(sink.get());
      sink.reset();
      engine::MutexLock lock(&mu_);
      done = true;
      changed_.NotifyAll();
    });
    engine::MutexLock lock(&mu_);
    while (!done) changed_.Wait(&mu_);
  }

  // Ends a held job with OnDone alone. With OK, items that were not played get no answer.
  void Finish(engine::JobId id, const absl::Status& status) {
    Post([this, id, status] { End(id, status); });
  }

  // Waits for cancellation n, counted from 0.
  std::pair<engine::JobId, engine::CancelCause> WaitCancel(size_t n = 0) {
    engine::MutexLock lock(&mu_);
    while (cancels_.size() <= n) changed_.Wait(&mu_);
    return cancels_[n];
  }

  size_t submitted() const {
    engine::MutexLock lock(&mu_);
    return static_cast<size_t>(last_id_);
  }

  static engine::ItemResult Answer(const engine::TranslationJob& job, int index) {
    engine::ItemResult result;
    result.index = index;
    engine::Hypothesis best;
    best.text = "[" + job.contents[index] + "]";
    best.score = -0.5F;
    best.log_prob = -2.0F;
    best.tokens = {"a", "b"};
    best.token_scores = {-1.0F, -1.0F, 0.0F};
    best.alignment = {{{0, 1}, {1, 2}}, {{2, 3}, {0, 1}}};
    const int ranks = job.decoding.num_alternatives.value_or(1);
    for (int rank = 0; rank < ranks; ++rank) {
      result.hypotheses.push_back(best);
      best.score -= 1.0F;
      best.text += "!";
    }
    const auto bytes = static_cast<int64_t>(job.contents[index].size());
    result.sentences = {{{0, bytes}, {0, bytes + 2}}};
    result.source_tokens = {"s"};
    result.source_token_count = 3;
    result.target_token_count = 3;
    if (job.decoding.sampling.has_value()) result.seed = job.decoding.sampling->seed.value_or(77);
    return result;
  }

  const engine::ModelInfo& info() const override { return info_; }
  // Call only before the engine is used.
  engine::ModelInfo* mutable_info() { return &info_; }

  // Finds only exact matches with the pairs of info(). An empty side matches any language.
  absl::StatusOr<engine::LanguagePair> FindLanguages(std::string_view source,
                                                     std::string_view target) const override {
    ++resolutions_;
    for (const engine::LanguagePair& pair : info_.pairs) {
      const bool fits = (source.empty() || pair.source.empty() || source == pair.source) &&
                        (target.empty() || target == pair.target);
      if (fits) return engine::LanguagePair{std::string(source), std::string(target)};
    }
    return absl::InvalidArgumentError("no such pair");
  }

  // The number of calls of FindLanguages.
  int resolutions() const { return resolutions_; }

  absl::StatusOr<std::unique_ptr<engine::Plan>> Prepare(engine::TranslationJob job) override {
    if (const auto error = engine::CheckWidth(job.decoding, info_.max_rows); error.has_value()) {
      return engine::InvalidRequest(*error);
    }
    auto plan = std::make_unique<FakePlan>();
    plan->job = std::move(job);
    return plan;
  }

  engine::Admission Submit(std::unique_ptr<engine::Plan> plan,
                           std::shared_ptr<engine::TranslationSink> sink) override {
    engine::TranslationJob job = std::move(static_cast<FakePlan&>(*plan).job);
    engine::Admission admission;
    engine::MutexLock lock(&mu_);
    if (!refusals_.empty()) {
      admission = std::move(refusals_.front());
      refusals_.pop_front();
      return admission;
    }
    if (stopped_) {
      admission.status = absl::UnavailableError("draining");
      admission.reason = engine::RejectReason::kDraining;
      return admission;
    }
    admission.job = ++last_id_;
    counts_.accepted += static_cast<int64_t>(job.contents.size());
    counts_.running += static_cast<int64_t>(job.contents.size());
    if (hold_) fresh_.push_back(Held{admission.job, job});
    jobs_[admission.job] = Job{std::move(job), std::move(sink)};
    if (hold_) {
      changed_.NotifyAll();
    } else {
      tasks_.push_back([this, id = admission.job] { AnswerAll(id); });
    }
    changed_.NotifyAll();
    return admission;
  }

  void Cancel(engine::JobId job, engine::CancelCause cause) override {
    {
      engine::MutexLock lock(&mu_);
      cancels_.emplace_back(job, cause);
      changed_.NotifyAll();
    }
    Post([this, job, cause] {
      End(job, cause == engine::CancelCause::kClient     ? absl::CancelledError("cancelled")
               : cause == engine::CancelCause::kDeadline ? absl::DeadlineExceededError("expired")
               : cause == engine::CancelCause::kRevoked
                   ? absl::UnauthenticatedError("revoked by the engine")
                   : absl::UnavailableError("draining"));
    });
  }

  // Makes every later Submit refuse the job with kDraining.
  void StopAdmission() {
    engine::MutexLock lock(&mu_);
    stopped_ = true;
  }

  int64_t jobs_in_flight() const override {
    engine::MutexLock lock(&mu_);
    return static_cast<int64_t>(jobs_.size());
  }

  void CancelAll(engine::CancelCause cause) override {
    std::vector<engine::JobId> ids;
    {
      engine::MutexLock lock(&mu_);
      for (const auto& [id, job] : jobs_) ids.push_back(id);
    }
    for (const engine::JobId id : ids) Cancel(id, cause);
  }

  // Makes reloading return `status`.
  void SetReload(absl::Status status) {
    engine::MutexLock lock(&mu_);
    reload_ = std::move(status);
  }
  int reloads() const {
    engine::MutexLock lock(&mu_);
    return reloads_;
  }
  absl::Status ReloadGlossaries(engine::LoadContext* /*load*/) override {
    engine::MutexLock lock(&mu_);
    ++reloads_;
    return reload_;
  }

  engine::EngineStats Stats() const override {
    engine::MutexLock lock(&mu_);
    if (stats_.has_value()) return *stats_;
    engine::EngineStats stats;
    stats.segments = counts_;
    stats.queue_segment_capacity = 100;
    stats.queue_token_capacity = 1000;
    stats.stalled = stalled_;
    stats.live_workers = live_workers_;
    stats.memory = {{"cuda:0", "a card", 10, 20, 30, 20}, {"cuda:1", "a card", 11, 21, 31, 19}};
    return stats;
  }

 private:
  struct FakePlan final : engine::Plan {
    engine::TranslationJob job;
  };
  struct Job {
    engine::TranslationJob job;
    std::shared_ptr<engine::TranslationSink> sink;
  };

  void Post(std::function<void()> task) {
    engine::MutexLock lock(&mu_);
    tasks_.push_back(std::move(task));
    changed_.NotifyAll();
  }

  void Run() {
    while (true) {
      std::function<void()> task;
      {
        engine::MutexLock lock(&mu_);
        while (tasks_.empty()) changed_.Wait(&mu_);
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      if (task == nullptr) return;
      task();
    }
  }

  void AnswerAll(engine::JobId id) {
    Job held;
    std::map<int, absl::Status> statuses;
    {
      engine::MutexLock lock(&mu_);
      const auto at = jobs_.find(id);
      if (at == jobs_.end()) return;
      held = at->second;
      statuses = item_status_;
    }
    for (int i = 0; i < static_cast<int>(held.job.contents.size()); ++i) {
      engine::ItemResult result = Answer(held.job, i);
      if (statuses.count(i) > 0) {
        result = engine::ItemResult{};
        result.index = i;
        result.status = statuses[i];
      } else if (held.job.returns.segments) {
        engine::SegmentUpdate update;
        update.item = i;
        update.source = result.sentences[0].source;
        update.text = result.hypotheses[0].text;
        update.final = true;
        held.sink->OnSegment(std::move(update));
      }
      held.sink->OnItem(std::move(result));
    }
    End(id, absl::OkStatus());
  }

  void End(engine::JobId id, const absl::Status& status) {
    Job held;
    {
      engine::MutexLock lock(&mu_);
      const auto at = jobs_.find(id);
      if (at == jobs_.end()) return;
      held = std::move(at->second);
      jobs_.erase(at);
      const auto segments = static_cast<int64_t>(held.job.contents.size());
      counts_.running -= segments;
      if (status.ok()) {
        counts_.eos += segments;
      } else if (status.code() == absl::StatusCode::kDeadlineExceeded) {
        counts_.deadline += segments;
      } else {
        counts_.cancelled += segments;
      }
    }
    engine::JobTimings timings;
    timings.decode = 5;
    timings.total = 7;
    held.sink->OnDone(status, timings);
  }

  engine::ModelInfo info_;
  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mu_);
  std::deque<engine::Admission> refusals_ ABSL_GUARDED_BY(mu_);
  std::map<int, absl::Status> item_status_ ABSL_GUARDED_BY(mu_);
  std::map<engine::JobId, Job> jobs_ ABSL_GUARDED_BY(mu_);
  std::deque<Held> fresh_ ABSL_GUARDED_BY(mu_);
  std::vector<std::pair<engine::JobId, engine::CancelCause>> cancels_ ABSL_GUARDED_BY(mu_);
  engine::SegmentCounts counts_ ABSL_GUARDED_BY(mu_);
  engine::JobId last_id_ ABSL_GUARDED_BY(mu_) = 0;
  int live_workers_ ABSL_GUARDED_BY(mu_) = 1;
  std::optional<engine::EngineStats> stats_ ABSL_GUARDED_BY(mu_);
  mutable std::atomic<int> resolutions_{0};
  absl::Status reload_ ABSL_GUARDED_BY(mu_);
  int reloads_ ABSL_GUARDED_BY(mu_) = 0;
  bool hold_ ABSL_GUARDED_BY(mu_) = false;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  bool stalled_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace dragoman::server
