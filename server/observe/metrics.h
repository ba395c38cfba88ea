// The daemon's Prometheus metrics, under `dragoman_`. server/README.md lists them all; its test
// holds the list to what is scraped.
//
// A model's series exist as long as the result of ForModel is held: names that are no longer
// served, or never were, cost scrapes nothing. Events of such names are counted with model "".
//
// Thread-safe. Series are made once and held; an event costs a few atomic adds, or a short lock
// that no scrape holds while it asks others. Gauges and counters of segments come from one picture
// of each model per scrape, so that accepted = outcomes + waiting + running in every one of them.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/base/mutex.h"
#include "server/base/connection_stats.h"
#include "server/observe/engine_families.h"
#include "server/observe/model_metrics.h"
#include "server/observe/rpc_method.h"
#include "server/observe/span.h"

namespace dragoman::server {

// The label model of a call over several models: not a model's name, which has no such character.
inline constexpr char kSeveralModels[] = "*";

class Metrics {
 public:
  // `clock` is the engines' and outlives this.
  explicit Metrics(const engine::Clock* clock);

  // The object to which the engines of all versions of a model report. While it is held,
  // every call returns the same one; then its series are gone, and a later one begins at 0. Shared
  // because several versions of a model may exist at once, and any of them may go last.
  std::shared_ptr<ModelMetrics> ForModel(const std::string& name);
  // The same for a pivot, which has only the series of calls.
  std::shared_ptr<ModelMetrics> ForPivot(const std::string& name);

  // From now on scrapes ask `source`, which must be callable until another, or none, is attached.
  using ModelsSource = std::function<std::vector<ModelStats>()>;
  void AttachModels(ModelsSource source);

  // The same for the connections of a port, "grpc" or "http"; null detaches.
  using ConnectionsSource = std::function<ConnectionStats()>;
  void AttachConnections(const std::string& port, ConnectionsSource source);

  // When the certificate in use ends, in seconds since 1970.
  void SetCertificateEnd(int64_t unix_seconds);
  // Files are in use, as they were read at the start.
  void OnFilesInUse(const std::string& files);
  // Files were read again, because they changed or on SIGHUP.
  void OnFilesRead(const std::string& files, bool ok);
  // The same for spans, where they are exported.
  void AttachSpans(const SpanCounts* counts);

  void SetReady(bool ready);
  void SetDraining(bool draining);

  // A call ended, which had come over `api`. `model`: "" where the call ended before it was known or
  // needed none, kSeveralModels where its texts went to several. A call is counted once. Here and
  // below: a name that nobody holds counts as "".
  void OnRpc(Api api, RpcMethod method, absl::StatusCode code, engine::Nanos duration,
             const std::string& model);
  void OnFirstResult(Api api, RpcMethod method, const std::string& model, engine::Nanos duration);
  void OnRejected(engine::RejectReason reason);
  // Results were handed to gRPC and are on their way after `duration`.
  void OnSent(const std::string& model, engine::Nanos duration);
  // A call that is OK had sources of so many code points.
  void OnCharacters(const std::string& model, int64_t code_points);
  // A new version of a model was asked for.
  void OnReload(const std::string& model, bool ok);

  // Text exposition format.
  std::string Scrape() const;

 private:
  using Counter = prometheus::Counter;
  using Gauge = prometheus::Gauge;
  static constexpr int kReasons = 11;

  using ModelPointers = std::vector<std::shared_ptr<ModelMetrics>>;

  Counter* RpcCounter(Api api, RpcMethod method, absl::StatusCode code);
  std::shared_ptr<ModelMetrics> Make(ModelMetrics::Kind kind, const std::string& name);
  std::shared_ptr<ModelMetrics> Find(const std::string& name) const;
  ModelPointers Present() const;

  const engine::Clock* const clock_;
  prometheus::Registry registry_;

  // Constant after construction; what they point to is self-synchronised.
  prometheus::Family<Counter>* rpcs_ = nullptr;
  std::array<Counter*, kReasons> rejected_{};
  Gauge* ready_ = nullptr;
  Gauge* draining_ = nullptr;
  prometheus::Family<Gauge>* certificate_end_ = nullptr;  // no series without TLS
  prometheus::Family<Counter>* files_read_ = nullptr;
  prometheus::Family<Gauge>* files_last_read_successful_ = nullptr;

  const std::shared_ptr<ModelMetrics> no_model_;
  const std::shared_ptr<ModelMetrics> several_models_;

  mutable engine::Mutex mu_;
  std::map<std::tuple<Api, RpcMethod, absl::StatusCode>, Counter*> rpc_counters_
      ABSL_GUARDED_BY(mu_);
  std::map<std::string, std::weak_ptr<ModelMetrics>> models_ ABSL_GUARDED_BY(mu_);

  // Held while the sources are asked, so that one that was detached is not asked any more.
  mutable engine::Mutex sources_mu_;
  ModelsSource source_ ABSL_GUARDED_BY(sources_mu_);
  std::map<std::string, ConnectionsSource> connections_ ABSL_GUARDED_BY(sources_mu_);  // by port
  const SpanCounts* spans_ ABSL_GUARDED_BY(sources_mu_) = nullptr;
};

}  // namespace dragoman::server
