// The Prometheus series of one model: what its engines tell, whichever version of the model they are.
//
// Thread-safe. Series are made once and held; an event costs a few atomic adds, or a histogram's
// short lock.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <string>

#include "engine/api/observer.h"

namespace dragoman {

// Of calls and of stages, which take as long.
extern const prometheus::Histogram::BucketBoundaries kRpcBuckets;

class ModelMetrics final : public EngineObserver {
 public:
  // `registry` outlives this.
  ModelMetrics(prometheus::Registry* registry, std::string model);

  void OnStep(const Step& step) override;
  void OnEncode(int segments, int64_t tokens, int64_t padding) override;
  void OnStage(Stage stage, Nanos duration) override;
  void OnJobTokenized(int64_t source_tokens, int beam_size) override;
  void OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) override;
  void OnJobTranslated(int64_t target_tokens) override;
  void OnSegmentCancelled(Stage stage, CancelCause cause, int64_t wasted_tokens) override;
  void OnError(const char* kind) override;

 private:
  using Counter = prometheus::Counter;
  using Histogram = prometheus::Histogram;
  static constexpr int kStages = 6;
  static constexpr int kCauses = 4;

  const std::string model_;

  // Constant after construction; what they point to is self-synchronised.
  prometheus::Family<Counter>* errors_ = nullptr;
  std::array<std::array<Counter*, kCauses>, kStages> cancelled_{};
  std::array<Counter*, kCauses> wasted_{};
  std::array<Histogram*, kStages> stage_{};
  Counter* row_steps_busy_ = nullptr;
  Counter* row_steps_idle_ = nullptr;
  Histogram* step_duration_ = nullptr;
  Histogram* batch_rows_ = nullptr;
  Histogram* batch_segments_ = nullptr;
  Histogram* topup_segments_ = nullptr;
  Histogram* encode_segments_ = nullptr;
  Counter* encoder_real_ = nullptr;
  Counter* encoder_padding_ = nullptr;
  Counter* source_tokens_ = nullptr;
  Counter* target_tokens_ = nullptr;
  Histogram* request_source_ = nullptr;
  Histogram* request_target_ = nullptr;
  Histogram* request_beam_ = nullptr;
};

}  // namespace dragoman
