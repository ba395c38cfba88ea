// The gRPC server as the daemon needs it: our services, health, reflection, and the settings that
// gRPC 1.51 gets wrong by default. Thread-safe after Start.
#pragma once

#include <grpcpp/server.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/service_context.h"
#include "server/translation_service.h"

namespace dragoman {

struct GrpcServerOptions {
  std::string listen;  // host:port; port 0 takes a free one
  int max_message_bytes = 16 << 20;
  int connection_age_seconds = 300;  // 0: never renewed
  int connection_grace_seconds = 120;
};

class GrpcServer {
 public:
  // Starts serving: health is SERVING from this moment on. `context` outlives the server.
  // UNAVAILABLE if it cannot listen (the port is taken, say).
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const GrpcServerOptions& options,
                                                           const ServiceContext* context);
  // Shuts down.
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // With the port that was bound.
  const std::string& address() const { return address_; }

  // Health answers NOT_SERVING for everything from now on.
  void SetNotServing();

  // Closes the port, gives answers under way half a second, cancels what is still open then, and
  // waits for the last reaction. Once is enough.
  void Shutdown();

 private:
  explicit GrpcServer(const ServiceContext* context)
      : service_(context, &draining_), missing_(context) {}

  std::atomic<bool> draining_{false};
  TranslationService service_;
  MissingMethods missing_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace dragoman
