#include "server/api/translate_calls.h"

#include "server/api/raw_service.h"

namespace dragoman::server {

UnaryCall::UnaryCall(const ServiceContext* service, grpc::CallbackServerContext* rpc, Api api,
                     std::string route)
    : CallReactor(service, rpc),
      call_(std::make_shared<UnaryTranslation>(service->calls, RpcMethod::kTranslate,
                                               Head(api, std::move(route)), this)) {}

void UnaryCall::HandleRequest(const grpc::ByteBuffer& request) {
  call_->HandleRequest(
      ParseTranslateRequest(FlattenBytes(request), calls().limits, CallKind::kUnary));
}

absl::Status UnaryCall::Keep(const google::protobuf::MessageLite& message) {
  return SerializeBytes(message, &response_)
             ? absl::OkStatus()
             : absl::InternalError("the response could not be serialised");
}

void UnaryCall::Finish(const absl::Status& status) {
  const grpc::Status end = EndStatus(status);
  if (status.ok()) {
    SendAndFinish(&response_, end);
  } else {
    FinishCall(end);
  }
}

StreamCall::StreamCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
    : CallReactor(service, rpc),
      call_(std::make_shared<StreamTranslation>(
          service->calls, RpcMethod::kStreamTranslate,
          Head(Api::kDragoman, "dragoman.v1.TranslationService/StreamTranslate"), this)) {}

void StreamCall::HandleRequest(const grpc::ByteBuffer& request) {
  call_->HandleRequest(
      ParseTranslateRequest(FlattenBytes(request), calls().limits, CallKind::kStream));
}

void StreamCall::StartWrite(v1::StreamTranslateResponse message) {
  // Serializing cannot fail, because the limits on requests exclude messages above 2 GiB.
  SerializeBytes(message, &buffer_);
  // Send must come last, because OnWriteDone and the end of the call may happen before Send
  // returns.
  Send(&buffer_);
}

}  // namespace dragoman::server
