#include "server/api/raw_service.h"

#include <grpcpp/generic/async_generic_service.h>

#include <utility>

namespace dragoman {

void RawService::Add(const char* path, MakeCall make) {
  using grpc::internal::RpcMethod;
  AddMethod(new grpc::internal::RpcServiceMethod(path, RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodRawCallback(methods_++,
                        new grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>(
                            [make = std::move(make)](grpc::CallbackServerContext* rpc) {
                              return CallReactor::Start(make(rpc));
                            }));
}

}  // namespace dragoman
