// A gRPC call whose answer is ready when the request has arrived, such as a list of languages,
// models or glossaries.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "server/api/call_reactor.h"
#include "server/api/raw_service.h"
#include "server/api/status_map.h"
#include "server/base/log.h"
#include "server/base/status_codes.h"
#include "server/call/api_keys.h"
#include "server/call/call_tracker.h"
#include "server/call/request_error.h"
#include "server/call/wire_check.h"

namespace dragoman::server {

// Answer is the type of a function absl::StatusOr<RESPONSE>(const Request&, Client*). The Client*
// is the client of the call's key, or nullptr if calls need no key.
template <typename Request, typename Answer>
class QueryCall final : public CallReactor {
 public:
  // `api` and `method` name the call in metrics and logs.
  QueryCall(const ServiceContext* service, grpc::CallbackServerContext* rpc, Api api,
            RpcMethod method, Answer answer)
      : CallReactor(service, rpc),
        ticket_(service->calls->tracker),
        api_(api),
        method_(method),
        answer_(std::move(answer)) {}

 private:
  void HandleRequest(const grpc::ByteBuffer& request) override {
    Request in;
    absl::Status status = ParseKnown(FlattenBytes(request), &in);
    if (status.ok()) {
      const std::shared_ptr<Grant> grant = Head(api_, "").grant;
      const auto answer = answer_(in, grant == nullptr ? nullptr : &grant->client());
      status = answer.status();
      if (status.ok() && !SerializeBytes(*answer, &response_)) {
        status = absl::InternalError("the response could not be serialised");
      }
    }
    Count(status);
    if (status.ok()) {
      SendAndFinish(&response_, grpc::Status::OK);
    } else {
      FinishCall(EndStatus(status));
    }
  }

  void HandleNoRequest(absl::Status status) override {
    Count(status);
    FinishCall(ToGrpcStatus(status));
  }

  void Count(const absl::Status& status) {
    calls().metrics->OnRpc(api_, method_, status.code(), calls().clock->Now() - started(), "");
    Log(LogLevel::kDebug, "call",
        {{"api", ApiName(api_)},
         {"method", RpcMethodName(method_)},
         {"code", CodeName(status.code())}});
  }

  const CallTracker::Ticket ticket_;
  const Api api_;
  const RpcMethod method_;
  const Answer answer_;
  grpc::ByteBuffer response_;
};

// Returns a function for RawService::Add that answers each call with `answer`.
template <typename Request, typename Answer>
auto AnswerQueries(const ServiceContext* service, Api api, RpcMethod method, Answer answer) {
  return [=](grpc::CallbackServerContext* rpc) {
    return std::make_shared<QueryCall<Request, Answer>>(service, rpc, api, method, answer);
  };
}

}  // namespace dragoman::server
