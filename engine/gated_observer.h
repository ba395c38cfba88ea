// An observer that forwards events to another observer only after Open, so that the engine's work
// during its start is not counted. Forwards OnError always. Thread-safe. Borrows the other
// observer.
#pragma once

#include <atomic>

#include "engine/api/observer.h"

namespace dragoman::engine {

class GatedObserver final : public EngineObserver {
 public:
  explicit GatedObserver(EngineObserver* observer) : observer_(observer) {}

  void Open() { open_.store(true); }

  void OnStep(const Step& step) override {
    if (open()) observer_->OnStep(step);
  }
  void OnEncode(int segments, int64_t tokens, int64_t padding) override {
    if (open()) observer_->OnEncode(segments, tokens, padding);
  }
  void OnStage(Stage stage, Nanos duration) override {
    if (open()) observer_->OnStage(stage, duration);
  }
  void OnJobTokenized(int64_t source_tokens, int beam_size) override {
    if (open()) observer_->OnJobTokenized(source_tokens, beam_size);
  }
  void OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) override {
    if (open()) observer_->OnSegmentTranslated(source_tokens, target_tokens);
  }
  void OnSegmentSearchedAgain() override {
    if (open()) observer_->OnSegmentSearchedAgain();
  }
  void OnSuspicious(std::string_view reason) override {
    if (open()) observer_->OnSuspicious(reason);
  }
  void OnJobTranslated(int64_t target_tokens) override {
    if (open()) observer_->OnJobTranslated(target_tokens);
  }
  void OnSegmentCancelled(Stage stage, CancelCause cause, int64_t wasted_tokens) override {
    if (open()) observer_->OnSegmentCancelled(stage, cause, wasted_tokens);
  }
  void OnError(const char* kind) override { observer_->OnError(kind); }

 private:
  bool open() const { return open_.load(std::memory_order_relaxed); }

  EngineObserver* const observer_;
  std::atomic<bool> open_{false};
};

}  // namespace dragoman::engine
