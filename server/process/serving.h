// Everything between a loaded engine and its clients: calls, timers, health and their end.
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
#include "server/call/request_readers.h"
#include "server/compat/adapters.h"
#include "server/models/model_table.h"
#include "server/observe/metrics.h"
#include "server/observe/span.h"
#include "server/process/drain.h"
#include "server/process/inherited_sockets.h"
#include "server/process/security.h"
#include "server/settings/config.h"
#include "server/transport/exchange_server.h"
#include "server/transport/guard.h"

namespace dragoman::server {

class Serving {
 public:
  // Takes calls for the models of the table from now on. All arguments outlive the object; metrics
  // has the models attached. Without any model calls are UNAVAILABLE (one is still being loaded).
  // Without `security` there is no TLS and no call needs a key; without `spans` there are none;
  // without `detector` no language is detected. Ports that have sockets in `sockets`, which may be
  // null, are not bound anew.
  static absl::StatusOr<std::unique_ptr<Serving>> Start(
      const ServerConfig& config, ModelTable* models, const engine::Clock* clock, Metrics* metrics,
      const Security* security = nullptr, SpanSink* spans = nullptr,
      const LanguageDetector* detector = nullptr, InheritedSockets* sockets = nullptr);
  // REQUIRES: drained, or no call in flight.
  ~Serving();

  const std::string& address() const { return grpc_->address(); }
  // "off" without HTTP.
  std::string http_address() const { return http_ == nullptr ? "off" : http_->address(); }
  int64_t in_flight() const { return tracker_.in_flight(); }

  // "" while connections are accepted, else why not: for /livez.
  std::string NotLive() const;

  // "" while calls are taken and can be worked on, else why not: for /readyz.
  std::string NotReady() const;

  // Ends service; see drain.h. Afterwards no call is in flight. Connections to an inherited port wait
  // for the next process from now on; calls on those that were accepted are taken for a second more at
  // least.
  DrainResult DrainCalls(DrainTimes times);

  // The same without closing the port: calls are refused and health says so.
  DrainResult DrainAndStay(std::chrono::nanoseconds limit);

  // A drain under way waits no longer.
  void Hurry() { tracker_.Interrupt(); }

 private:
  Serving(const ServerConfig& config, ModelTable* models, const engine::Clock* clock,
          Metrics* metrics);
  absl::Status StartHttp(const ServerConfig& config, const TransportLimits& limits,
                         const Security* security, InheritedSockets* sockets);
  // False: no port was inherited.
  bool LeaveInheritedPorts();
  DrainSteps Steps();

  ModelTable* const models_;
  Metrics* const metrics_;
  std::unique_ptr<Guard> guard_;
  DeadlineTimer timer_;
  CallTracker tracker_;
  std::atomic<int64_t> translated_{0};  // code points
  CallContext calls_;
  std::unique_ptr<RequestReaders> readers_;  // outlives grpc_ and http_, which hand requests to it
  ServiceContext context_;
  std::atomic<bool> leaving_{false};   // not ready any more
  std::atomic<bool> draining_{false};  // takes no calls any more
  std::unique_ptr<GrpcServer> grpc_;
  // Null without HTTP. In the order of use, the last one uses those before it.
  std::unique_ptr<Adapters> adapters_;
  std::unique_ptr<AdapterHandler> handler_;
  std::unique_ptr<ExchangeServer> http_;
};

}  // namespace dragoman::server
