// The observer of a canary, a second version of a model: it passes events on to the series of
// NAME@canary while it is one, and to those of the model's name once it is the version that serves.
//
// Thread-safe. Series of NAME@canary end with the last version that reports to them.
#pragma once

#include <memory>
#include <string>

#include "engine/api/observer.h"
#include "engine/base/mutex.h"
#include "server/metrics/model_metrics.h"

namespace dragoman {

// The label model of a canary: no model's name, for '@' cannot be in one.
std::string CanaryLabel(const std::string& name);

class VersionMetrics final : public EngineObserver {
 public:
  VersionMetrics(std::string label, std::shared_ptr<ModelMetrics> metrics)
      : label_(std::move(label)), metrics_(std::move(metrics)) {}

  // From now on events are the other's.
  void MoveTo(std::string label, std::shared_ptr<ModelMetrics> metrics);
  std::string label() const;

  void OnStep(const Step& step) override { metrics()->OnStep(step); }
  void OnEncode(int segments, int64_t tokens, int64_t padding) override {
    metrics()->OnEncode(segments, tokens, padding);
  }
  void OnStage(Stage stage, Nanos duration) override { metrics()->OnStage(stage, duration); }
  void OnJobTokenized(int64_t source_tokens, int beam_size) override {
    metrics()->OnJobTokenized(source_tokens, beam_size);
  }
  void OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) override {
    metrics()->OnSegmentTranslated(source_tokens, target_tokens);
  }
  void OnSegmentSearchedAgain() override { metrics()->OnSegmentSearchedAgain(); }
  void OnJobTranslated(int64_t target_tokens) override {
    metrics()->OnJobTranslated(target_tokens);
  }
  void OnSegmentCancelled(Stage stage, CancelCause cause, int64_t wasted_tokens) override {
    metrics()->OnSegmentCancelled(stage, cause, wasted_tokens);
  }
  void OnError(const char* kind) override { metrics()->OnError(kind); }

 private:
  // Shared, so that a thread that reports keeps the series that it found.
  std::shared_ptr<ModelMetrics> metrics() const;

  mutable Mutex mu_;
  std::string label_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<ModelMetrics> metrics_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman
