// The gRPC services of the daemon. They take calls at their headers and requests as raw bytes, see
// call_reactor.h: what is not UTF-8 must get INVALID_ARGUMENT, and gRPC's generated parsing answers
// otherwise before our code runs.
//
// Thread-safe. Reactions never block.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/impl/service_type.h>

#include <atomic>
#include <functional>
#include <memory>

#include "server/grpc/call_reactor.h"

namespace dragoman {

class TranslationService final : public grpc::Service {
 public:
  // `context` outlives the service. `draining` likewise, for GetServerInfo.
  TranslationService(const ServiceContext* context, const std::atomic<bool>* draining);

 private:
  using MakeCall = std::function<std::shared_ptr<CallReactor>(grpc::CallbackServerContext* rpc)>;

  // `path` must be a literal: gRPC keeps the pointer.
  void Add(const char* path, MakeCall make);

  template <typename Request, typename Response, typename Answer>
  MakeCall AnswerAtOnce(RpcMethod method, Answer answer) const;

  const ServiceContext* const context_;
  const std::atomic<bool>* const draining_;
  int methods_ = 0;
};

// Answers every method that no service has, AdminService's among them: UNIMPLEMENTED, named.
class MissingMethods final : public grpc::CallbackGenericService {
 public:
  explicit MissingMethods(const ServiceContext* context) : context_(context) {}
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* rpc) override;

 private:
  const ServiceContext* const context_;
};

}  // namespace dragoman
