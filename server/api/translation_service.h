// The gRPC service dragoman.v1.TranslationService, and the answer to methods that no service has.
//
// Thread-safe. Reactions never block.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <atomic>

#include "server/api/call_reactor.h"
#include "server/api/raw_service.h"

namespace dragoman::server {

class TranslationService final : public RawService {
 public:
  // `context` and `draining` outlive the service. GetServerInfo reports `draining`.
  TranslationService(const ServiceContext* context, const std::atomic<bool>* draining);
};

// Answers every method that no service has, including those of AdminService, with UNIMPLEMENTED.
class MissingMethods final : public grpc::CallbackGenericService {
 public:
  explicit MissingMethods(const ServiceContext* context) : context_(context) {}
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* rpc) override;

 private:
  const ServiceContext* const context_;
};

}  // namespace dragoman::server
