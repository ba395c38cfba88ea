// The Prometheus series of one model's name: those of its calls, and those that the engines of all
// its versions report. They end with this object, which every version of the model holds: so the
// series go with the last version.
//
// Thread-safe. Series are made once and held; an event costs a few atomic adds, or a histogram's
// short lock.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <array>
#include <string>
#include <vector>

#include "engine/api/observer.h"
#include "server/observe/rpc_method.h"

namespace dragoman::server {

// The buckets for durations of calls and of stages, which take as long.
extern const prometheus::Histogram::BucketBoundaries kRpcBuckets;

class ModelMetrics final : public engine::EngineObserver {
 public:
  enum class Kind {
    kModel,
    kPivot,         // has series of calls only: its segments are those of its two models
    kNoModel,       // for events of no model that exists; its label is ""
    kSeveralModels  // for calls over several models; has series of calls only, from the first on
  };
  ModelMetrics(Kind kind, std::string model);

  // A call ended; its first message went out; its results were on their way after `duration`.
  void OnRpc(Api api, RpcMethod method, engine::Nanos duration);
  void OnFirstResult(Api api, RpcMethod method, engine::Nanos duration);
  void OnSent(engine::Nanos duration);
  // A call that is OK had sources of so many code points.
  void OnCharacters(int64_t code_points);
  // A new version was asked for.
  void OnReload(bool ok);

  void OnStep(const Step& step) override;
  void OnEncode(int segments, int64_t tokens, int64_t padding) override;
  void OnStage(engine::Stage stage, engine::Nanos duration) override;
  void OnJobTokenized(int64_t source_tokens, int beam_size) override;
  void OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) override;
  void OnSegmentSearchedAgain() override;
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

  // Constant after construction; what they point to is self-synchronised.
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
  Histogram* request_source_ = nullptr;
  Histogram* request_target_ = nullptr;
  Histogram* request_beam_ = nullptr;
};

}  // namespace dragoman::server
