// The gRPC services of the daemon, on raw bytes: what is not UTF-8 must get INVALID_ARGUMENT, and
// gRPC's generated parsing answers otherwise before our code runs.
//
// Thread-safe. Reactions never block.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <atomic>

#include "dragoman/v1/translation.grpc.pb.h"
#include "server/service_context.h"

namespace dragoman {

using RawTranslationService = v1::TranslationService::WithRawCallbackMethod_Translate<
    v1::TranslationService::WithRawCallbackMethod_StreamTranslate<
        v1::TranslationService::WithRawCallbackMethod_ListLanguages<
            v1::TranslationService::WithRawCallbackMethod_ListModels<
                v1::TranslationService::WithRawCallbackMethod_GetServerInfo<
                    v1::TranslationService::Service>>>>>;

class TranslationService final : public RawTranslationService {
 public:
  // `context` outlives the service. `draining` likewise, for GetServerInfo.
  TranslationService(const ServiceContext* context, const std::atomic<bool>* draining)
      : context_(context), draining_(draining) {}

  grpc::ServerUnaryReactor* Translate(grpc::CallbackServerContext* rpc,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* StreamTranslate(
      grpc::CallbackServerContext* rpc, const grpc::ByteBuffer* request) override;
  grpc::ServerUnaryReactor* ListLanguages(grpc::CallbackServerContext* rpc,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* rpc,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* rpc,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;

 private:
  template <typename Request, typename Response, typename Answer>
  grpc::ServerUnaryReactor* AnswerAtOnce(RpcMethod method, grpc::CallbackServerContext* rpc,
                                         const grpc::ByteBuffer& request,
                                         grpc::ByteBuffer* response, Answer answer);

  const ServiceContext* const context_;
  const std::atomic<bool>* const draining_;
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
