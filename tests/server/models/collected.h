// A sink that stores the results and can be waited for.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

class Collected final : public engine::TranslationSink {
 public:
  void OnSegment(engine::SegmentUpdate update) override {
    engine::MutexLock lock(&mu_);
    segments_.push_back(std::move(update));
  }
  void OnItem(engine::ItemResult result) override {
    engine::MutexLock lock(&mu_);
    items_.emplace(result.index, std::move(result));
    ++item_calls_;
  }
  void OnDone(const absl::Status& status, const engine::JobTimings& timings) override {
    engine::MutexLock lock(&mu_);
    // Copies the status, because ThreadSanitizer does not see abseil's reference counting.
    done_.emplace(status.code(), status.message());
    timings_ = timings;
    ++done_calls_;
    changed_.NotifyAll();
  }

  absl::Status WaitDone() {
    engine::MutexLock lock(&mu_);
    while (!done_.has_value()) changed_.Wait(&mu_);
    return *done_;
  }
  bool done() {
    engine::MutexLock lock(&mu_);
    return done_.has_value();
  }

  // Call after WaitDone.
  std::map<int, engine::ItemResult> items() {
    engine::MutexLock lock(&mu_);
    return items_;
  }
  std::vector<engine::SegmentUpdate> segments() {
    engine::MutexLock lock(&mu_);
    return segments_;
  }
  engine::JobTimings timings() {
    engine::MutexLock lock(&mu_);
    return timings_;
  }
  int item_calls() {
    engine::MutexLock lock(&mu_);
    return item_calls_;
  }
  int done_calls() {
    engine::MutexLock lock(&mu_);
    return done_calls_;
  }

  // A model that the sink's owner keeps alive, as a call does.
  std::shared_ptr<const void> held;

 private:
  engine::Mutex mu_;
  engine::CondVar changed_;
  std::vector<engine::SegmentUpdate> segments_ ABSL_GUARDED_BY(mu_);
  std::map<int, engine::ItemResult> items_ ABSL_GUARDED_BY(mu_);
  int item_calls_ ABSL_GUARDED_BY(mu_) = 0;
  int done_calls_ ABSL_GUARDED_BY(mu_) = 0;
  std::optional<absl::Status> done_ ABSL_GUARDED_BY(mu_);
  engine::JobTimings timings_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server
