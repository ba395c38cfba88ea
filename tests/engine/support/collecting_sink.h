// A sink that stores all results, for tests that run an engine.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/base/mutex.h"

namespace dragoman::testing {

class CollectingSink : public engine::TranslationSink {
 public:
  void OnSegment(engine::SegmentUpdate update) override {
    engine::MutexLock lock(&mu_);
    updates_.push_back(std::move(update));
    changed_.NotifyAll();
  }
  void OnItem(engine::ItemResult result) override {
    engine::MutexLock lock(&mu_);
    const auto index = static_cast<size_t>(result.index);
    if (items_.size() <= index) items_.resize(index + 1);
    items_[index] = std::move(result);
    ++item_calls_;
  }
  void OnDone(const absl::Status& status, const engine::JobTimings& timings) override {
    engine::MutexLock lock(&mu_);
    status_ = status;
    timings_ = timings;
    ++done_calls_;
    changed_.NotifyAll();
  }

  // Waits for OnDone and returns its status.
  absl::Status Wait() {
    engine::MutexLock lock(&mu_);
    while (done_calls_ == 0) changed_.Wait(&mu_);
    return status_;
  }
  void WaitForUpdates(size_t count) {
    engine::MutexLock lock(&mu_);
    while (updates_.size() < count && done_calls_ == 0) changed_.Wait(&mu_);
  }

  // Call after Wait.
  const std::vector<engine::ItemResult>& items() const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return items_;
  }
  const std::vector<engine::SegmentUpdate>& updates() const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return updates_;
  }
  const engine::JobTimings& timings() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return timings_; }
  int item_calls() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return item_calls_; }
  int done_calls() const {
    engine::MutexLock lock(&mu_);
    return done_calls_;
  }

 private:
  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  absl::Status status_ ABSL_GUARDED_BY(mu_);
  engine::JobTimings timings_ ABSL_GUARDED_BY(mu_);
  std::vector<engine::SegmentUpdate> updates_ ABSL_GUARDED_BY(mu_);
  std::vector<engine::ItemResult> items_ ABSL_GUARDED_BY(mu_);
  int item_calls_ ABSL_GUARDED_BY(mu_) = 0;
  int done_calls_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace dragoman::testing
