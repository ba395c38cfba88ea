#include "server/process/serving.h"

#include <utility>

#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/settings/transport_limits.h"

namespace dragoman {

Serving::Serving(const ServerConfig& config, Engine* engine, const Clock* clock, Metrics* metrics)
    : engine_(engine), metrics_(metrics), timer_(clock) {
  context_.calls = &calls_;
  context_.receive_timeout = config.receive_timeout_seconds * kNanosPerSecond;
  calls_.clock = clock;
  calls_.timer = &timer_;
  calls_.metrics = metrics;
  calls_.tracker = &tracker_;
  calls_.draining = &draining_;
  if (engine != nullptr) calls_.models.Add(engine);
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
       {"memory_bytes", limits.quota_bytes},
       {"reset_bytes", limits.reset_bytes}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<Serving>> Serving::Start(const ServerConfig& config, Engine* engine,
                                                        const Clock* clock, Metrics* metrics,
                                                        SpanSink* spans) {
  const auto limits = ComputeTransportLimits(config, RaiseDescriptorLimit());
  if (!limits.ok()) return limits.status();
  LogTransportLimits(*limits);
  std::unique_ptr<Serving> serving(new Serving(config, engine, clock, metrics));
  serving->calls_.spans = spans;
  serving->intake_ = std::make_unique<Intake>(
      IntakeLimits{limits->message_bytes,
                   limits->receive_bytes,
                   {2 * limits->max_streams, limits->wasted_streams}},
      Intake::RealSockets(), ResetWatch::RealCounts(), clock, &serving->timer_);
  serving->context_.intake = serving->intake_.get();
  serving->context_.max_message_bytes = limits->message_bytes;
  serving->context_.max_streams = limits->max_streams;
  serving->timer_.Start();
  GrpcServerOptions options;
  options.listen = config.listen;
  options.limits = *limits;
  options.connection_age_seconds = config.connection_age_seconds;
  options.connection_grace_seconds = config.longest_call_seconds;
  auto grpc = GrpcServer::Start(options, &serving->context_);
  if (!grpc.ok()) return grpc.status();
  serving->grpc_ = *std::move(grpc);
  metrics->AttachListener(&serving->grpc_->listener());
  metrics->SetReady(engine != nullptr);
  return serving;
}

Serving::~Serving() { metrics_->AttachListener(nullptr); }

std::string Serving::NotLive() const { return grpc_->listener().NotAccepting(); }

std::string Serving::NotReady() const {
  if (leaving_) return "draining";
  if (engine_ == nullptr) return "loading";
  if (engine_->Stats().live_workers < 1) return "no worker is left";
  return "";
}

DrainResult Serving::DrainCalls(const DrainTimes& times) {
  DrainSteps steps;
  steps.leave = [this] {
    leaving_ = true;
    metrics_->SetReady(false);
    metrics_->SetDraining(true);
    grpc_->SetNotServing();
  };
  steps.linger = [this](std::chrono::nanoseconds time) { return tracker_.WaitInterrupted(time); };
  steps.stop_taking = [this] {
    draining_ = true;
    if (engine_ != nullptr) engine_->StopAdmission();
  };
  steps.wait_idle = [this](std::chrono::nanoseconds timeout) { return tracker_.WaitIdle(timeout); };
  steps.in_flight = [this] { return tracker_.in_flight(); };
  steps.cancel_rest = [this] {
    if (engine_ != nullptr) engine_->CancelAll(CancelCause::kDrain);
  };
  steps.shutdown = [this] { grpc_->Shutdown(); };
  return Drain(steps, times);
}

}  // namespace dragoman
