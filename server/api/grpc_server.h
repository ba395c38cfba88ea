// The gRPC server as the daemon needs it: our services, health, reflection, and the settings that
// gRPC 1.51 gets wrong by default. Thread-safe after Start.
#pragma once

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/mutex.h"
#include "server/api/call_reactor.h"
#include "server/api/translation_service.h"
#include "server/base/address.h"
#include "server/base/tls_store.h"
#include "server/transport/guard.h"

namespace dragoman::server {

struct GrpcServerOptions {
  Address listen;
  std::vector<int> inherited;  // sockets, as ListenerOptions'
  TransportLimits limits;
  int max_connections_per_peer = 0;  // 0: no limit of their own
  int connection_age_seconds = 300;  // 0: never renewed
  int connection_grace_seconds = 120;
  const TlsStore* tls = nullptr;  // borrowed, outlives the server; nullptr: no TLS
};

// Another API's service on the same port.
struct NamedService {
  std::string name;  // in full, as health lists it
  std::unique_ptr<grpc::Service> service;
};

class GrpcServer {
 public:
  // Starts serving: health is SERVING from this moment on. `context` outlives the server, which serves
  // our own service and `others`. UNAVAILABLE if it cannot listen (the port is taken, say).
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options,
                                                           const ServiceContext* context,
                                                           std::vector<NamedService> others = {});
  // Shuts down.
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // The text of the address, with the port that was bound.
  const std::string& address() const { return listener_->address(); }
  const Listener& listener() const { return *listener_; }
  Listener* mutable_listener() { return listener_.get(); }

  // Sets what health answers to the name of a model, until SetNotServing.
  void SetModelServing(const std::string& model, bool serving);

  // Health answers NOT_SERVING for everything from now on.
  void SetNotServing();

  // Closes the port and ends every connection after what was sent on it: calls that arrive now end
  // as UNAVAILABLE at their clients, as do those still open. Waits for the last reaction. Calling
  // it again has no effect.
  void Shutdown();

 private:
  GrpcServer(const ServiceContext* context, std::vector<NamedService> others)
      : service_(context, &draining_), others_(std::move(others)), missing_(context) {}

  engine::Mutex health_mu_;  // held while draining_ and health change together
  std::atomic<bool> draining_{false};
  TranslationService service_;
  const std::vector<NamedService> others_;
  MissingMethods missing_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<Listener> listener_;  // its thread uses acceptor_
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace dragoman::server
