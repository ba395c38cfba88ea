// The daemon's gRPC server. Corrects some defaults of gRPC 1.51. Thread-safe after Start.
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
  std::vector<int> inherited;  // sockets, as in ListenerOptions
  TransportLimits limits;
  int max_connections_per_peer = 0;  // 0: no such limit
  int connection_age_seconds = 300;  // 0: never renewed
  // How long calls in flight may continue after connection_age_seconds.
  int connection_grace_seconds = 120;
  const TlsStore* tls = nullptr;  // borrowed, outlives the server; nullptr: no TLS
};

// The service of another API, on the same port.
struct NamedService {
  std::string name;  // the full name, under which health lists the service
  std::unique_ptr<grpc::Service> service;
};

class GrpcServer {
 public:
  // Starts to serve TranslationService and `others`. Their health is SERVING from then on.
  // `context` outlives the server. UNAVAILABLE if the server cannot listen, for example because
  // another process has the port.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options,
                                                           const ServiceContext* context,
                                                           std::vector<NamedService> others = {});
  // Calls Shutdown.
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // The text of the address, with the port that was bound.
  const std::string& address() const { return listener_->address(); }
  const Listener& listener() const { return *listener_; }
  Listener* mutable_listener() { return listener_.get(); }

  // Sets the health that is reported for a model's name. Has no effect after SetNotServing.
  void SetModelServing(const std::string& model, bool serving);

  // Makes health answer NOT_SERVING for everything from now on.
  void SetNotServing();

  // Closes the port, then closes each connection after its pending data. The clients of calls in
  // flight and of new calls get UNAVAILABLE. Waits for the last reaction. A second call has no
  // effect.
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
