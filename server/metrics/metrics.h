// The daemon's Prometheus metrics, under `dragoman_`. server/README.md lists them all; its test
// holds the list to what is scraped.
//
// Thread-safe. Series are made once and held; an event costs a few atomic adds, or a histogram's
// short lock. Gauges and counters of segments come from one picture of each model per scrape, so
// that accepted = outcomes + waiting + running in every one of them.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/base/mutex.h"
#include "server/metrics/engine_families.h"
#include "server/metrics/model_metrics.h"
#include "server/net/listener.h"
#include "server/trace/span.h"

namespace dragoman {

enum class RpcMethod {
  kTranslate,
  kStreamTranslate,
  kListLanguages,
  kListModels,
  kGetServerInfo,
  kLoadModel,
  kUnloadModel,
  kReloadModel,
  kDrain,
  kSetLogLevel,
  kUnknown,
};
const char* RpcMethodName(RpcMethod method);

class Metrics {
 public:
  // `clock` is the engines' and outlives this.
  explicit Metrics(const Clock* clock);

  // Where the engines of a model, of all its versions, report to. Made once, stays for ever.
  ModelMetrics* ForModel(const std::string& name);

  // From now on scrapes ask `source`, which must be callable until another, or none, is attached.
  using ModelsSource = std::function<std::vector<ModelStats>()>;
  void AttachModels(ModelsSource source);

  // The same for connections; null detaches.
  void AttachListener(const Listener* listener);

  // Of the certificate in use: when it ends, in seconds since 1970.
  void SetCertificateEnd(int64_t unix_seconds);
  // Files were read again, because they changed or on SIGHUP.
  void OnFilesRead(const std::string& files, bool ok);
  // The same for spans, where they are exported.
  void AttachSpans(const SpanCounts* counts);

  void SetReady(bool ready);
  void SetDraining(bool draining);

  // A call ended. `model`: "" where the call ended before it was known.
  void OnRpc(RpcMethod method, absl::StatusCode code, Nanos duration, const std::string& model);
  void OnFirstResult(RpcMethod method, const std::string& model, Nanos duration);
  void OnRejected(RejectReason reason);
  // Results were handed to gRPC and are on their way after `duration`.
  void OnSent(const std::string& model, Nanos duration);
  // A new version of a model was asked for.
  void OnReload(const std::string& model, bool ok);

  // Text exposition format.
  std::string Scrape() const;

 private:
  using Counter = prometheus::Counter;
  using Gauge = prometheus::Gauge;
  using Histogram = prometheus::Histogram;
  static constexpr int kReasons = 11;

  Counter* RpcCounter(RpcMethod method, absl::StatusCode code);

  const Clock* const clock_;
  prometheus::Registry registry_;

  // Constant after construction; what they point to is self-synchronised.
  prometheus::Family<Counter>* rpcs_ = nullptr;
  prometheus::Family<Counter>* reloads_ = nullptr;
  prometheus::Family<Histogram>* rpc_duration_ = nullptr;
  prometheus::Family<Histogram>* first_result_ = nullptr;
  prometheus::Family<Histogram>* sent_ = nullptr;
  std::array<Counter*, kReasons> rejected_{};
  Gauge* ready_ = nullptr;
  Gauge* draining_ = nullptr;
  prometheus::Family<Gauge>* certificate_end_ = nullptr;  // no series without TLS
  prometheus::Family<Counter>* files_read_ = nullptr;

  mutable Mutex mu_;
  std::map<std::pair<int, int>, Counter*> rpc_counters_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, std::unique_ptr<ModelMetrics>> models_ ABSL_GUARDED_BY(mu_);
  ModelsSource source_ ABSL_GUARDED_BY(mu_);
  const Listener* listener_ ABSL_GUARDED_BY(mu_) = nullptr;
  const SpanCounts* spans_ ABSL_GUARDED_BY(mu_) = nullptr;
};

}  // namespace dragoman
