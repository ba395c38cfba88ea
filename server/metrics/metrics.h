// The daemon's Prometheus metrics, under `dragoman_`. server/README.md lists them all; its test
// holds the list to what is scraped.
//
// Thread-safe. Series are made once and held; an event costs a few atomic adds, or a histogram's
// short lock. Gauges and counters of segments come from one EngineStats per scrape, so that
// accepted = outcomes + waiting + running in every one of them.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/base/mutex.h"
#include "server/net/listener.h"
#include "server/trace/span.h"

namespace dragoman {

enum class RpcMethod {
  kTranslate,
  kStreamTranslate,
  kListLanguages,
  kListModels,
  kGetServerInfo,
  kUnknown,
};
const char* RpcMethodName(RpcMethod method);

class Metrics final : public EngineObserver {
 public:
  // `clock` is the engine's and outlives this. `model` is the label of everything below.
  Metrics(std::string model, const Clock* clock);

  // From now on scrapes ask `engine`, which must stay until DetachEngine.
  void AttachEngine(const Engine* engine, Nanos load_duration);
  void DetachEngine();

  // The same for connections; null detaches.
  void AttachListener(const Listener* listener);

  // The same for spans, where they are exported.
  void AttachSpans(const SpanCounts* counts);

  void SetReady(bool ready);
  void SetDraining(bool draining);

  // A call ended. `model_known`: the request named (or defaulted to) the loaded model.
  void OnRpc(RpcMethod method, absl::StatusCode code, Nanos duration, bool model_known);
  void OnFirstResult(RpcMethod method, Nanos duration);
  void OnRejected(RejectReason reason);
  // Results were handed to gRPC and are on their way after `duration`.
  void OnSent(Nanos duration);

  // Text exposition format.
  std::string Scrape() const;

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
  using Gauge = prometheus::Gauge;
  using Histogram = prometheus::Histogram;
  static constexpr int kStages = 6;
  static constexpr int kCauses = 3;
  static constexpr int kMethods = 6;
  static constexpr int kReasons = 8;

  Counter* RpcCounter(RpcMethod method, absl::StatusCode code);

  const std::string model_;
  const Clock* const clock_;
  prometheus::Registry registry_;

  // Constant after construction; what they point to is self-synchronised.
  prometheus::Family<Counter>* rpcs_ = nullptr;
  prometheus::Family<Counter>* errors_ = nullptr;
  std::array<std::array<Histogram*, 2>, kMethods> rpc_duration_{};  // [method][model known]
  Histogram* first_result_ = nullptr;
  std::array<Counter*, kReasons> rejected_{};
  std::array<std::array<Counter*, kCauses>, kStages> cancelled_{};
  std::array<Counter*, kCauses> wasted_{};
  std::array<Histogram*, kStages + 1> stage_{};  // the last is "send"
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
  Gauge* ready_ = nullptr;
  Gauge* draining_ = nullptr;
  Gauge* load_seconds_ = nullptr;
  prometheus::Family<Gauge>* model_info_ = nullptr;

  mutable Mutex mu_;
  std::map<std::pair<int, int>, Counter*> rpc_counters_ ABSL_GUARDED_BY(mu_);
  const Engine* engine_ ABSL_GUARDED_BY(mu_) = nullptr;
  const Listener* listener_ ABSL_GUARDED_BY(mu_) = nullptr;
  const SpanCounts* spans_ ABSL_GUARDED_BY(mu_) = nullptr;
};

}  // namespace dragoman
