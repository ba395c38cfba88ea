// The daemon's Prometheus metrics, under `dragoman_`. server/README.md lists them all; a test
// compares the list with a scrape.
//
// The series of a model's name exist while a caller holds the result of ForModel, so that names
// without a model do not slow scrapes down. Events for such names are counted with model "".
//
// Thread-safe. Reporting an event takes a few atomic additions or a short lock. A scrape does not
// hold this lock while it asks the attached sources. Gauges and counters of segments come from one
// snapshot of each model, so that accepted = outcomes + waiting + running in every scrape.
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

// The label `model` of a call over several models. Names of models do not have this character.
inline constexpr char kSeveralModels[] = "*";

class Metrics {
 public:
  // `clock` is the clock of the engines. It must outlive this object.
  explicit Metrics(const engine::Clock* clock);

  // Returns the object to which the engines of all versions of a model report. Every call returns
  // the same object while a caller holds it. When no caller holds it any more, its series
  // disappear, and a later object starts at 0. Shared, because several versions of a model may
  // exist at once and any may be the last.
  std::shared_ptr<ModelMetrics> ForModel(const std::string& name);
  // ForModel for a pivot, which has only the series of calls.
  std::shared_ptr<ModelMetrics> ForPivot(const std::string& name);

  // Makes scrapes ask `source`. REQUIRES: `source` can be called until another source, or null, is
  // attached.
  using ModelsSource = std::function<std::vector<ModelStats>()>;
  void AttachModels(ModelsSource source);

  // AttachModels for the connections of a port, "grpc" or "http".
  using ConnectionsSource = std::function<ConnectionStats()>;
  void AttachConnections(const std::string& port, ConnectionsSource source);

  // Sets when the certificate in use ends, in seconds since 1970.
  void SetCertificateEnd(int64_t unix_seconds);
  // Notes that files were read at the start and are in use.
  void OnFilesInUse(const std::string& files);
  // Notes that files were read again, because they changed or on SIGHUP.
  void OnFilesRead(const std::string& files, bool ok);
  // Makes scrapes read `counts`. REQUIRES: `counts` lives until another object, or null, is
  // attached.
  void AttachSpans(const SpanCounts* counts);

  void SetReady(bool ready);
  void SetDraining(bool draining);

  // Returns the object that counts the calls and reloads of `model`. A name counts as "" if no
  // caller holds its ForModel result.
  std::shared_ptr<ModelMetrics> Find(const std::string& model) const;

  // Notes the end of a call over `api`. `model` is "" if the call ended before its model was known
  // or needed none, and kSeveralModels if its texts went to several models. REQUIRES: called once
  // per call.
  void OnRpc(Api api, RpcMethod method, absl::StatusCode code, engine::Nanos duration,
             const std::string& model);
  void OnRejected(engine::RejectReason reason);

  // Returns all metrics in the text exposition format.
  std::string Scrape() const;

 private:
  using Counter = prometheus::Counter;
  using Gauge = prometheus::Gauge;
  static constexpr int kReasons = static_cast<int>(engine::RejectReason::kDenied) + 1;

  using ModelPointers = std::vector<std::shared_ptr<ModelMetrics>>;

  Counter* RpcCounter(Api api, RpcMethod method, absl::StatusCode code);
  std::shared_ptr<ModelMetrics> Make(ModelMetrics::Kind kind, const std::string& name);
  ModelPointers Present() const;

  const engine::Clock* const clock_;
  prometheus::Registry registry_;

  // Constant after construction. They point to thread-safe objects.
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

  // Locked while the sources are asked, so that a source is never asked after it was detached.
  mutable engine::Mutex sources_mu_;
  ModelsSource source_ ABSL_GUARDED_BY(sources_mu_);
  std::map<std::string, ConnectionsSource> connections_ ABSL_GUARDED_BY(sources_mu_);  // by port
  const SpanCounts* spans_ ABSL_GUARDED_BY(sources_mu_) = nullptr;
};

}  // namespace dragoman::server
