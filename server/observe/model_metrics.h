// The Prometheus series of one model name: those of its calls, and those that the engines of all
// its versions report. Every version of the model holds this object, so the series end with the
// last version.
//
// Thread-safe. An event takes a few atomic additions, or the short lock of a histogram.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/observer.h"
#include "server/observe/rpc_method.h"

namespace dragoman::server {

// The buckets for the durations of calls and of stages.
extern const prometheus::Histogram::BucketBoundaries kRpcBuckets;

class ModelMetrics final : public engine::EngineObserver {
 public:
  enum class Kind {
    kModel,
    kPivot,         // has series of calls only; its two models count the segments
    kNoModel,       // counts events without an existing model; the label is ""
    kSeveralModels  // for calls over several models; has series of calls only, made when needed
  };
  ModelMetrics(Kind kind, std::string model);

  // OnRpc: a call ended. OnFirstResult: the first message of a call was sent. OnSent: results were
  // sent `duration` after they were handed to the transport.
  void OnRpc(Api api, RpcMethod method, engine::Nanos duration);
  void OnFirstResult(Api api, RpcMethod method, engine::Nanos duration);
  void OnSent(engine::Nanos duration);
  // Counts the code points in the texts of a call that ended with OK.
  void OnCharacters(int64_t code_points);
  // Notes that a new version was loaded, or failed to load.
  void OnReload(bool ok);

  void OnStep(const Step& step) override;
  void OnEncode(int segments, int64_t tokens, int64_t padding) override;
  void OnStage(engine::Stage stage, engine::Nanos duration) override;
  void OnJobTokenized(int64_t source_tokens, int beam_size) override;
  void OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) override;
  void OnSegmentSearchedAgain() override;
  void OnSuspicious(std::string_view reason) override;
  void OnJobTranslated(int64_t target_tokens) override;
  void OnSegmentCancelled(engine::Stage stage, engine::CancelCause cause,
                          int64_t wasted_tokens) override;
  void OnError(const char* kind) override;

  std::vector<prometheus::MetricFamily> Collect() const { return registry_.Collect(); }

 private:
  using Counter = prometheus::Counter;
  using Histogram = prometheus::Histogram;
  static constexpr int kStages = 6;
  static constexpr int kCauses = 4;

  prometheus::Labels CallLabels(Api api, RpcMethod method) const;
  void AddCalls(Kind kind);
  void AddEngine();

  const std::string model_;
  prometheus::Registry registry_;

  // Constant after construction. They point to thread-safe objects.
  prometheus::Family<Counter>* reloads_ = nullptr;
  prometheus::Family<Histogram>* rpc_duration_ = nullptr;
  prometheus::Family<Histogram>* first_result_ = nullptr;
  prometheus::Family<Counter>* characters_ = nullptr;
  prometheus::Family<Histogram>* stages_ = nullptr;
  prometheus::Family<Counter>* errors_ = nullptr;  // this and all below: kModel only
  std::array<std::array<Counter*, kCauses>, kStages> cancelled_{};
  std::array<Counter*, kCauses> wasted_{};
  std::array<Histogram*, kStages> stage_{};
  Counter* row_steps_busy_ = nullptr;
  Counter* row_steps_idle_ = nullptr;
  Histogram* step_duration_ = nullptr;
  Histogram* step_beside_pass_ = nullptr;
  Histogram* batch_rows_ = nullptr;
  Histogram* batch_segments_ = nullptr;
  Histogram* topup_segments_ = nullptr;
  Histogram* encode_segments_ = nullptr;
  Counter* encoder_real_ = nullptr;
  Counter* encoder_padding_ = nullptr;
  Counter* source_tokens_ = nullptr;
  Counter* target_tokens_ = nullptr;
  Counter* searched_again_ = nullptr;
  prometheus::Family<Counter>* suspicious_ = nullptr;
  Histogram* request_source_ = nullptr;
  Histogram* request_target_ = nullptr;
  Histogram* request_beam_ = nullptr;
};

}  // namespace dragoman::server
