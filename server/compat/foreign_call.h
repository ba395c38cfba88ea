// The transport of a translation whose request and answer are messages of another gRPC API.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/api/raw_service.h"
#include "server/api/translate_calls.h"
#include "server/call/wire_check.h"

namespace dragoman::server {

// `read` converts a message to our request. `write` converts our answer, and the message, to an
// answer of the API. If one of them returns an error, the client gets it.
template <typename Request, typename Read, typename Write>
class ForeignCall final : public UnaryCall {
 public:
  // `route` is "SERVICE/METHOD".
  ForeignCall(const ServiceContext* service, grpc::CallbackServerContext* rpc, Api api,
              const char* route, Read read, Write write)
      : UnaryCall(service, rpc, api, route), read_(std::move(read)), write_(std::move(write)) {}

 private:
  void HandleRequest(const grpc::ByteBuffer& request) override {
    absl::Status known = ParseKnown(FlattenBytes(request), &in_);
    if (!known.ok()) return call().HandleNoRequest(std::move(known));
    absl::StatusOr<v1::TranslateRequest> ours = read_(in_);
    if (!ours.ok()) return call().HandleNoRequest(ours.status());
    call().HandleRequest(ReadTranslateRequest(*std::move(ours), calls().limits, CallKind::kUnary));
  }
  absl::Status SetAnswer(const v1::TranslateResponse& answer) override {
    const auto out = write_(answer, in_);
    return out.ok() ? Keep(*out) : out.status();
  }

  const Read read_;
  const Write write_;
  Request in_;  // written before the job is submitted
};

// Returns a function for RawService::Add that makes such calls.
template <typename Request, typename Read, typename Write>
auto AnswerTranslations(const ServiceContext* service, Api api, const char* route, Read read,
                        Write write) {
  return [=](grpc::CallbackServerContext* rpc) {
    return std::make_shared<ForeignCall<Request, Read, Write>>(service, rpc, api, route, read,
                                                               write);
  };
}

}  // namespace dragoman::server
