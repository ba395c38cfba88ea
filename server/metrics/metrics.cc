#include "server/metrics/metrics.h"

#include <prometheus/text_serializer.h>

#include <chrono>
#include <iterator>
#include <sstream>
#include <vector>

#include "server/base/status_codes.h"
#include "server/base/steady_clock.h"
#include "server/base/version.h"
#include "server/metrics/engine_families.h"

namespace dragoman {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::MetricFamily;

// RejectReason; the first is never counted.
constexpr const char* kReasonNames[] = {"",          "queue_full", "token_budget", "client_share",
                                        "too_large", "invalid",    "unsupported",  "draining",
                                        "deadline",  "rate",       "denied"};

template <typename Builder>
auto& Register(Builder builder, const char* name, const char* help,
               prometheus::Registry* registry) {
  return builder.Name(name).Help(help).Register(*registry);
}

double UnixSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

const char* RpcMethodName(RpcMethod method) {
  switch (method) {
    case RpcMethod::kTranslate:
      return "Translate";
    case RpcMethod::kStreamTranslate:
      return "StreamTranslate";
    case RpcMethod::kListLanguages:
      return "ListLanguages";
    case RpcMethod::kListModels:
      return "ListModels";
    case RpcMethod::kGetServerInfo:
      return "GetServerInfo";
    case RpcMethod::kLoadModel:
      return "LoadModel";
    case RpcMethod::kUnloadModel:
      return "UnloadModel";
    case RpcMethod::kReloadModel:
      return "ReloadModel";
    case RpcMethod::kDrain:
      return "Drain";
    case RpcMethod::kSetLogLevel:
      return "SetLogLevel";
    case RpcMethod::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Metrics::Metrics(const Clock* clock) : clock_(clock) {
  const auto counter = [this](const char* name, const char* help) -> auto& {
    return Register(BuildCounter(), name, help, &registry_);
  };
  const auto gauge = [this](const char* name, const char* help) -> auto& {
    return Register(BuildGauge(), name, help, &registry_);
  };
  const auto histogram = [this](const char* name, const char* help) -> auto& {
    return Register(BuildHistogram(), name, help, &registry_);
  };
  rpcs_ = &counter("dragoman_rpcs_total", "Calls that ended, by method and status code.");
  rpc_duration_ = &histogram("dragoman_rpc_duration_seconds", "Duration of calls.");
  first_result_ =
      &histogram("dragoman_first_result_seconds",
                 "Streaming calls: time from the start of the call to its first message.");
  sent_ = &histogram("dragoman_stage_duration_seconds", "Time that a segment spent in a stage.");
  reloads_ = &counter("dragoman_model_reloads_total", "New versions of a model, by result.");
  auto& rejected = counter("dragoman_rejected_total", "Calls that were not admitted, by reason.");
  for (int i = 1; i < kReasons; ++i) rejected_[i] = &rejected.Add({{"reason", kReasonNames[i]}});

  ready_ = &gauge("dragoman_ready", "1 while calls are accepted.").Add({});
  draining_ =
      &gauge("dragoman_draining", "1 from the signal to stop until the process ends.").Add({});
  certificate_end_ = &gauge("dragoman_tls_cert_not_after_seconds",
                            "When the certificate in use ends, in seconds since 1970.");
  files_read_ = &counter("dragoman_files_read_total",
                         "Files of certificates or API keys that were read again, by outcome.");
  gauge("dragoman_build_info", "Always 1; the labels describe the running build.")
      .Add({{"version", kVersion}, {"compiler", kCompiler}})
      .Set(1);
}

ModelMetrics* Metrics::ForModel(const std::string& name) {
  MutexLock lock(&mu_);
  std::unique_ptr<ModelMetrics>& held = models_[name];
  if (held == nullptr) {
    held = std::make_unique<ModelMetrics>(&registry_, name);
    for (const char* result : {"ok", "failed"}) {
      reloads_->Add({{"model", name}, {"result", result}});
    }
    // There from the start, so that nobody who asks for them finds nothing.
    for (const RpcMethod method : {RpcMethod::kTranslate, RpcMethod::kStreamTranslate}) {
      rpc_duration_->Add({{"method", RpcMethodName(method)}, {"model", name}}, kRpcBuckets);
    }
    first_result_->Add({{"method", RpcMethodName(RpcMethod::kStreamTranslate)}, {"model", name}},
                       kRpcBuckets);
  }
  return held.get();
}

void Metrics::AttachModels(ModelsSource source) {
  MutexLock lock(&mu_);
  source_ = std::move(source);
}

void Metrics::AttachListener(const Listener* listener) {
  MutexLock lock(&mu_);
  listener_ = listener;
}

void Metrics::AttachSpans(const SpanCounts* counts) {
  MutexLock lock(&mu_);
  spans_ = counts;
}

void Metrics::SetReady(bool ready) { ready_->Set(ready ? 1 : 0); }
void Metrics::SetDraining(bool draining) { draining_->Set(draining ? 1 : 0); }

prometheus::Counter* Metrics::RpcCounter(RpcMethod method, absl::StatusCode code) {
  MutexLock lock(&mu_);
  Counter*& held = rpc_counters_[{static_cast<int>(method), static_cast<int>(code)}];
  if (held == nullptr) {
    held = &rpcs_->Add({{"method", RpcMethodName(method)}, {"code", CodeName(code)}});
  }
  return held;
}

void Metrics::OnRpc(RpcMethod method, absl::StatusCode code, Nanos duration,
                    const std::string& model) {
  RpcCounter(method, code)->Increment();
  rpc_duration_->Add({{"method", RpcMethodName(method)}, {"model", model}}, kRpcBuckets)
      .Observe(ToSeconds(duration));
}

void Metrics::OnFirstResult(RpcMethod method, const std::string& model, Nanos duration) {
  first_result_->Add({{"method", RpcMethodName(method)}, {"model", model}}, kRpcBuckets)
      .Observe(ToSeconds(duration));
}

void Metrics::SetCertificateEnd(int64_t unix_seconds) {
  certificate_end_->Add({}).Set(static_cast<double>(unix_seconds));
}

void Metrics::OnFilesRead(const std::string& files, bool ok) {
  files_read_->Add({{"files", files}, {"outcome", ok ? "ok" : "error"}}).Increment();
}

void Metrics::OnRejected(RejectReason reason) {
  if (reason != RejectReason::kNone) rejected_[static_cast<size_t>(reason)]->Increment();
}

void Metrics::OnSent(const std::string& model, Nanos duration) {
  sent_->Add({{"stage", "send"}, {"model", model}}, kRpcBuckets).Observe(ToSeconds(duration));
}

void Metrics::OnReload(const std::string& model, bool ok) {
  reloads_->Add({{"model", model}, {"result", ok ? "ok" : "failed"}}).Increment();
}

std::string Metrics::Scrape() const {
  std::vector<MetricFamily> families = registry_.Collect();
  const auto append = [&families](std::vector<MetricFamily> more) {
    families.insert(families.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  {
    MutexLock lock(&mu_);
    if (source_) append(EngineFamilies(source_(), clock_->Now(), UnixSeconds()));
    if (listener_ != nullptr) {
      append(ConnectionFamilies(listener_->Stats(), listener_->max_connections()));
    }
    if (spans_ != nullptr) append({SpanFamily(*spans_)});
  }
  append(ProcessFamilies());
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return out.str();
}

}  // namespace dragoman
