// Everything between a loaded engine and its clients: ports, calls, timers, health and the drain.
//
// Thread-safe after Start.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/api/adapter_handler.h"
#include "server/api/call_reactor.h"
#include "server/api/grpc_server.h"
#include "server/base/deadline_timer.h"
#include "server/call/call_context.h"
#include "server/call/call_tracker.h"
#include "server/call/jobs/job_runner.h"
#include "server/call/jobs/job_store.h"
#include "server/call/request_readers.h"
#include "server/compat/adapters.h"
#include "server/models/model_table.h"
#include "server/observe/metrics.h"
#include "server/observe/span.h"
#include "server/process/drain.h"
#include "server/process/security.h"
#include "server/process/service_manager.h"
#include "server/settings/config.h"
#include "server/transport/exchange_server.h"
#include "server/transport/guard.h"

namespace dragoman::server {

class Serving {
 public:
  // Starts to accept calls for the models of the table. While the table has no model, calls get
  // UNAVAILABLE. Without `security`, there is no TLS, and no call needs a key. Without `spans`, no
  // spans are recorded. Without `detector`, no language is detected. A port uses the sockets of
  // `sockets` that are bound to its address. If there are none, or `sockets` is null, it binds its
  // own. All arguments must outlive the object. REQUIRES: the models are attached to `metrics`.
  static absl::StatusOr<std::unique_ptr<Serving>> Start(
      const ServerConfig& config, ModelTable* models, const engine::Clock* clock, Metrics* metrics,
      const Security* security = nullptr, SpanSink* spans = nullptr,
      const LanguageDetector* detector = nullptr, InheritedSockets* sockets = nullptr);
  // REQUIRES: the object is drained, or no call is in flight.
  ~Serving();

  const std::string& address() const { return grpc_->address(); }
  // Returns "off" without HTTP.
  std::string http_address() const { return http_ == nullptr ? "off" : http_->address(); }
  int64_t in_flight() const { return tracker_.in_flight(); }

  // Answers /livez. Returns "" while connections are accepted, else the reason.
  std::string NotLive() const;

  // Answers /readyz. Returns "" while calls are accepted and every model has a worker, else the
  // reason.
  std::string NotReady() const;

  // Ends service (drain.h). Afterwards no call is in flight. New connections to an inherited port
  // wait for the next process. Connections that such a port has already accepted may start calls
  // for at least one more second.
  DrainResult DrainCalls(DrainTimes times);

  // Does what DrainCalls does, except that the ports stay open. Calls are then refused, and health
  // is negative.
  DrainResult DrainAndStay(std::chrono::nanoseconds limit);

  // Ends the waits of a drain in progress, so that it ends soon.
  void Hurry() { tracker_.Interrupt(); }

 private:
  Serving(const ServerConfig& config, ModelTable* models, const engine::Clock* clock,
          Metrics* metrics);
  absl::Status StartHttp(const ServerConfig& config, const TransportLimits& limits,
                         const Security* security, InheritedSockets* sockets);
  // Stops accepting on the inherited ports. Returns false if no port was inherited.
  bool LeaveInheritedPorts();
  DrainSteps Steps();

  ModelTable* const models_;
  Metrics* const metrics_;
  std::unique_ptr<Guard> guard_;
  DeadlineTimer timer_;
  CallTracker tracker_;
  std::atomic<int64_t> translated_{0};  // code points
  std::unique_ptr<JobStore> jobs_;      // nullptr: no jobs are taken
  CallContext calls_;
  std::unique_ptr<RequestReaders> readers_;  // outlives grpc_ and http_, which hand requests to it
  ServiceContext context_;
  std::atomic<bool> leaving_{false};   // no longer ready
  std::atomic<bool> draining_{false};  // no longer accepts calls
  std::unique_ptr<GrpcServer> grpc_;
  // These three are null without HTTP. Each uses the ones before it.
  std::unique_ptr<Adapters> adapters_;
  std::unique_ptr<AdapterHandler> handler_;
  std::unique_ptr<ExchangeServer> http_;
  std::unique_ptr<JobRunner> runner_;  // nullptr without jobs_
};

}  // namespace dragoman::server
