#include "server/process/serving.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/compat/google_v3.h"
#include "server/compat/riva.h"
#include "server/process/cpu_topology.h"
#include "server/process/job_directory.h"

namespace dragoman::server {

Serving::Serving(const ServerConfig& config, ModelTable* models, const engine::Clock* clock,
                 Metrics* metrics)
    : models_(models), metrics_(metrics), timer_(clock) {
  context_.calls = &calls_;
  context_.receive_timeout = config.receive_timeout_seconds * kNanosPerSecond;
  calls_.clock = clock;
  calls_.timer = &timer_;
  calls_.metrics = metrics;
  calls_.tracker = &tracker_;
  calls_.translated = &translated_;
  calls_.draining = &draining_;
  calls_.models = models;
  calls_.limits.max_items = config.max_items;
  calls_.limits.max_code_points = config.max_code_points;
  calls_.longest_call = config.longest_call_seconds * kNanosPerSecond;
  calls_.write_timeout = config.write_timeout_seconds * kNanosPerSecond;
}

namespace {

void LogTransportLimits(const TransportLimits& limits) {
  Log(LogLevel::kInfo, "network limits",
      {{"connections", limits.max_connections},
       {"streams_per_connection", limits.max_streams},
       {"request_bytes", limits.message_bytes},
       {"receive_bytes", limits.receive_bytes},
       {"memory_bytes", limits.quota_bytes + limits.tls_bytes},
       {"reset_bytes", limits.reset_bytes},
       {"http_connections", limits.http_connections},
       {"http_memory_bytes", limits.http_bytes}});
}

// The number of HTTP threads. Reading and writing requests takes little time compared with
// translating them.
int HttpThreads() { return std::clamp(CpuBudget() / 8, 2, 8); }

// The number of threads that prepare large requests of all ports before these become jobs. With two
// processors there is one such thread: when it detects the languages of a long list, the other
// processor is free for decoding.
int ReaderThreads() { return std::clamp(CpuBudget() / 4, 1, 8); }

}  // namespace

absl::StatusOr<std::unique_ptr<Serving>> Serving::Start(
    const ServerConfig& config, ModelTable* models, const engine::Clock* clock, Metrics* metrics,
    const Security* security, SpanSink* spans, const LanguageDetector* detector,
    InheritedSockets* sockets) {
  const auto limits = ComputeTransportLimits(config, RaiseDescriptorLimit());
  if (!limits.ok()) return limits.status();
  LogTransportLimits(*limits);
  std::unique_ptr<Serving> serving(new Serving(config, models, clock, metrics));
  serving->calls_.spans = spans;
  serving->calls_.detector = detector;
  serving->guard_ = std::make_unique<Guard>(*limits, clock);
  serving->context_.guard = serving->guard_.get();
  serving->context_.max_message_bytes = limits->message_bytes;
  serving->context_.max_streams = limits->max_streams;
  if (security != nullptr) serving->context_.keys = security->keys();
  serving->readers_ = std::make_unique<RequestReaders>(ReaderThreads(), &serving->tracker_);
  serving->calls_.readers = serving->readers_.get();
  serving->timer_.Start();
  absl::StatusOr<std::unique_ptr<JobStore>> jobs = OpenJobs(config);
  if (!jobs.ok()) return jobs.status();
  serving->jobs_ = *std::move(jobs);
  serving->calls_.jobs = serving->jobs_.get();
  GrpcServerOptions options;
  options.listen = config.listen;
  if (sockets != nullptr) options.inherited = sockets->For(config.listen);
  options.limits = *limits;
  options.max_connections_per_peer = config.max_connections_per_peer;
  if (security != nullptr) options.tls = security->tls();
  options.connection_age_seconds = config.connection_age_seconds;
  options.connection_grace_seconds = config.longest_call_seconds;
  std::vector<NamedService> others;
  others.push_back({GoogleService::kName, std::make_unique<GoogleService>(&serving->context_)});
  others.push_back({RivaService::kName, std::make_unique<RivaService>(&serving->context_)});
  auto grpc = GrpcServer::Start(options, &serving->context_, std::move(others));
  if (!grpc.ok()) return grpc.status();
  serving->grpc_ = *std::move(grpc);
  metrics->AttachConnections("grpc",
                             [grpc = serving->grpc_.get()] { return grpc->listener().Stats(); });
  if (config.http.has_value()) {
    const absl::Status started = serving->StartHttp(config, *limits, security, sockets);
    if (!started.ok()) return started;
  }
  models->OnChange([grpc = serving->grpc_.get()](const std::string& name, bool served) {
    grpc->SetModelServing(name, served);
  });
  metrics->SetReady(!models->models().empty());
  if (serving->jobs_ != nullptr) {
    serving->runner_ = std::make_unique<JobRunner>(serving->jobs_.get(), &serving->calls_,
                                                   serving->context_.keys, CpuBudget());
  }
  return serving;
}

absl::Status Serving::StartHttp(const ServerConfig& config, const TransportLimits& limits,
                                const Security* security, InheritedSockets* sockets) {
  AdapterContext context;
  context.calls = &calls_;
  context.keys_needed = context_.keys != nullptr;
  context.bounds = {.max_request_bytes = limits.message_bytes,
                    .max_streams = 0,
                    .receive_timeout = context_.receive_timeout};
  context.has_page = config.page;
  context.has_tls = security != nullptr && security->tls() != nullptr;
  // Stays 0 for "unix:PATH", which has no port.
  const std::string& grpc = grpc_->address();
  if (!absl::SimpleAtoi(grpc.substr(grpc.rfind(':') + 1), &context.grpc_port)) {
    context.grpc_port = 0;
  }
  adapters_ = std::make_unique<Adapters>(context);
  handler_ = std::make_unique<AdapterHandler>(&calls_, context_.keys, adapters_->routes(),
                                              config.cors_origins);
  ExchangeServerOptions options;
  options.listener.address = *config.http;
  if (sockets != nullptr) options.listener.inherited = sockets->For(*config.http);
  options.listener.max_connections = limits.http_connections;
  options.listener.max_per_peer = config.max_connections_per_peer;
  options.hosts = HostsOf(config, *config.http);
  options.origins = config.cors_origins;
  options.read.body_bytes = static_cast<size_t>(limits.message_bytes);
  options.held_bytes = limits.receive_bytes;
  options.threads = HttpThreads();
  options.request_time = std::chrono::seconds(config.receive_timeout_seconds);
  options.header_time = std::min(options.header_time, options.request_time);
  options.write_time = std::chrono::seconds(config.write_timeout_seconds);
  if (security != nullptr && security->tls() != nullptr) {
    options.tls = security->tls();
    options.clients =
        options.tls->wants_clients() ? ClientCertificates::kRequired : ClientCertificates::kNone;
  }
  auto http = ExchangeServer::Start(options, handler_.get(), calls_.clock);
  if (!http.ok()) {
    return absl::UnavailableError(absl::StrCat(std::string(http.status().message()), " (HTTP)"));
  }
  http_ = *std::move(http);
  metrics_->AttachConnections("http", [http = http_.get()] { return http->listener().Stats(); });
  return absl::OkStatus();
}

Serving::~Serving() {
  runner_.reset();
  models_->OnChange(nullptr);
  metrics_->AttachConnections("grpc", nullptr);
  metrics_->AttachConnections("http", nullptr);
}

std::string Serving::NotLive() const {
  std::string why = grpc_->listener().NotAccepting();
  if (why.empty() && http_ != nullptr) why = http_->listener().NotAccepting();
  return why;
}

std::string Serving::NotReady() const {
  if (leaving_) return "draining";
  const std::vector<ModelPtr> models = models_->models();
  if (models.empty()) return "loading";
  for (const ModelPtr& model : models) {
    if (model->engine->Stats().live_workers > 0) continue;
    return models.size() == 1 ? "no worker is left" : "no worker is left of " + model->name;
  }
  return "";
}

DrainSteps Serving::Steps() {
  DrainSteps steps;
  steps.leave = [this] {
    // HTTP answers close their connections, because clients that keep connections would not notice
    // the drain.
    if (http_ != nullptr) http_->RenewConnections();
    metrics_->SetDraining(true);
    leaving_ = true;
    metrics_->SetReady(false);
    grpc_->SetNotServing();
  };
  steps.linger = [this](std::chrono::nanoseconds time) { return tracker_.WaitInterrupted(time); };
  steps.stop_taking = [this] {
    // Only the ports refuse calls. The engines do not, because the second model of a pivot must
    // still admit the pivot's jobs.
    draining_ = true;
  };
  steps.wait_idle = [this](std::chrono::nanoseconds timeout) { return tracker_.WaitIdle(timeout); };
  steps.in_flight = [this] { return tracker_.in_flight(); };
  steps.cancel_rest = [this] { models_->CancelAll(engine::CancelCause::kDrain); };
  steps.shutdown = [this] {
    grpc_->Shutdown();
    if (http_ != nullptr) http_->Shutdown();
  };
  return steps;
}

bool Serving::LeaveInheritedPorts() {
  bool left = grpc_->mutable_listener()->LeaveInherited();
  if (http_ != nullptr) left |= http_->mutable_listener()->LeaveInherited();
  return left;
}

DrainResult Serving::DrainCalls(DrainTimes times) {
  // The first calls of connections that were accepted a moment ago may not have arrived yet.
  constexpr std::chrono::seconds kFirstCalls{1};
  if (LeaveInheritedPorts()) {
    times.lame_duck = std::max<std::chrono::nanoseconds>(times.lame_duck, kFirstCalls);
  }
  return Drain(Steps(), times);
}

DrainResult Serving::DrainAndStay(std::chrono::nanoseconds limit) {
  DrainSteps steps = Steps();
  steps.shutdown = [] {};
  return Drain(steps, {.limit = limit, .lame_duck = {}});
}

}  // namespace dragoman::server
