#include "server/observe/metrics.h"

#include <prometheus/text_serializer.h>

#include <chrono>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "server/base/status_codes.h"
#include "server/base/version.h"
#include "server/observe/engine_families.h"

namespace dragoman::server {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;

// The label of each reason, by the number of RejectReason. The first reason is never counted.
constexpr const char* kReasonNames[] = {"",        "queue_full",  "token_budget", "client_share",
                                        "invalid", "unsupported", "draining",     "deadline",
                                        "rate",    "denied"};

template <typename Builder>
auto& Register(Builder builder, const char* name, const char* help,
               prometheus::Registry* registry) {
  return builder.Name(name).Help(help).Register(*registry);
}

double UnixSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Metrics::Metrics(const engine::Clock* clock)
    : clock_(clock),
      no_model_(std::make_shared<ModelMetrics>(ModelMetrics::Kind::kNoModel, "")),
      several_models_(
          std::make_shared<ModelMetrics>(ModelMetrics::Kind::kSeveralModels, kSeveralModels)) {
  const auto counter = [this](const char* name, const char* help) -> auto& {
    return Register(BuildCounter(), name, help, &registry_);
  };
  const auto gauge = [this](const char* name, const char* help) -> auto& {
    return Register(BuildGauge(), name, help, &registry_);
  };
  rpcs_ =
      &counter("dragoman_rpcs_total", "Calls that ended, by interface, method and status code.");
  auto& rejected = counter("dragoman_rejected_total", "Calls that were not admitted, by reason.");
  static_assert(std::size(kReasonNames) == kReasons);
  for (int i = 1; i < kReasons; ++i) rejected_[i] = &rejected.Add({{"reason", kReasonNames[i]}});

  ready_ = &gauge("dragoman_ready", "1 while calls are accepted.").Add({});
  draining_ =
      &gauge("dragoman_draining", "1 from the signal to stop until the process ends.").Add({});
  certificate_end_ = &gauge("dragoman_tls_cert_not_after_seconds",
                            "When the certificate in use ends, in seconds since 1970.");
  files_read_ = &counter("dragoman_files_read_total",
                         "Files of certificates or API keys that were read again, by outcome.");
  files_last_read_successful_ =
      &gauge("dragoman_files_last_read_successful",
             "1 if certificates or API keys could be used when they were last read, else 0.");
  gauge("dragoman_build_info", "Always 1; the labels describe the running build.")
      .Add({{"version", kVersion}, {"compiler", kCompiler}})
      .Set(1);
}

std::shared_ptr<ModelMetrics> Metrics::Make(ModelMetrics::Kind kind, const std::string& name) {
  engine::MutexLock lock(&mu_);
  std::erase_if(models_, [](const auto& known) { return known.second.expired(); });
  std::weak_ptr<ModelMetrics>& held = models_[name];
  std::shared_ptr<ModelMetrics> present = held.lock();
  if (present == nullptr) {
    present = std::make_shared<ModelMetrics>(kind, name);
    held = present;
  }
  return present;
}

std::shared_ptr<ModelMetrics> Metrics::ForModel(const std::string& name) {
  return Make(ModelMetrics::Kind::kModel, name);
}

std::shared_ptr<ModelMetrics> Metrics::ForPivot(const std::string& name) {
  return Make(ModelMetrics::Kind::kPivot, name);
}

std::shared_ptr<ModelMetrics> Metrics::Find(const std::string& model) const {
  if (model == kSeveralModels) return several_models_;
  engine::MutexLock lock(&mu_);
  const auto known = models_.find(model);
  std::shared_ptr<ModelMetrics> present = known == models_.end() ? nullptr : known->second.lock();
  return present == nullptr ? no_model_ : present;
}

Metrics::ModelPointers Metrics::Present() const {
  ModelPointers present = {no_model_, several_models_};
  engine::MutexLock lock(&mu_);
  for (const auto& [name, held] : models_) {
    if (std::shared_ptr<ModelMetrics> model = held.lock()) present.push_back(std::move(model));
  }
  return present;
}

void Metrics::AttachModels(ModelsSource source) {
  engine::MutexLock lock(&sources_mu_);
  source_ = std::move(source);
}

void Metrics::AttachConnections(const std::string& port, ConnectionsSource source) {
  engine::MutexLock lock(&sources_mu_);
  if (source == nullptr) {
    connections_.erase(port);
  } else {
    connections_[port] = std::move(source);
  }
}

void Metrics::AttachSpans(const SpanCounts* counts) {
  engine::MutexLock lock(&sources_mu_);
  spans_ = counts;
}

void Metrics::SetReady(bool ready) { ready_->Set(ready ? 1 : 0); }
void Metrics::SetDraining(bool draining) { draining_->Set(draining ? 1 : 0); }

prometheus::Counter* Metrics::RpcCounter(Api api, RpcMethod method, absl::StatusCode code) {
  engine::MutexLock lock(&mu_);
  Counter*& held = rpc_counters_[{api, method, code}];
  if (held == nullptr) {
    held = &rpcs_->Add(
        {{"api", ApiName(api)}, {"method", RpcMethodName(method)}, {"code", CodeName(code)}});
  }
  return held;
}

void Metrics::OnRpc(Api api, RpcMethod method, absl::StatusCode code, engine::Nanos duration,
                    const std::string& model) {
  RpcCounter(api, method, code)->Increment();
  Find(model)->OnRpc(api, method, duration);
}

void Metrics::SetCertificateEnd(int64_t unix_seconds) {
  certificate_end_->Add({}).Set(static_cast<double>(unix_seconds));
}

void Metrics::OnFilesInUse(const std::string& files) {
  files_last_read_successful_->Add({{"files", files}}).Set(1);
}

void Metrics::OnFilesRead(const std::string& files, bool ok) {
  files_read_->Add({{"files", files}, {"outcome", ok ? "ok" : "error"}}).Increment();
  files_last_read_successful_->Add({{"files", files}}).Set(ok ? 1 : 0);
}

void Metrics::OnRejected(engine::RejectReason reason) {
  if (reason != engine::RejectReason::kNone) rejected_[static_cast<size_t>(reason)]->Increment();
}

std::string Metrics::Scrape() const {
  Families all;
  all.Add(registry_.Collect());
  for (const auto& model : Present()) all.Add(model->Collect());
  {
    engine::MutexLock lock(&sources_mu_);
    if (source_) AddEngines(source_(), clock_->Now(), UnixSeconds(), &all);
    for (const auto& [port, stats] : connections_) AddConnections(port, stats(), &all);
    if (spans_ != nullptr) AddSpans(*spans_, &all);
  }
  AddProcess(&all);
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, all.all());
  return out.str();
}

}  // namespace dragoman::server
