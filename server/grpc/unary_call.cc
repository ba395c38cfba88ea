#include "server/grpc/unary_call.h"

#include "server/grpc/grpc_bytes.h"

namespace dragoman {

UnaryCall::UnaryCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
    : CallReactor(service, rpc),
      call_(std::make_shared<UnaryTranslation>(
          service->calls, RpcMethod::kTranslate,
          Head(Api::kDragoman, "dragoman.v1.TranslationService/Translate"), this)) {}

void UnaryCall::HandleRequest(const grpc::ByteBuffer& request) {
  call_->HandleRequest(
      ParseTranslateRequest(FlattenBytes(request), calls().limits, CallKind::kUnary));
}

void UnaryCall::HandleCancel() {
  if (IsDeadline()) {
    call_->Expire();
  } else {
    call_->Cancel();
  }
}

absl::Status UnaryCall::SetAnswer(const v1::TranslateResponse& answer) {
  return SerializeBytes(answer, &response_)
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

}  // namespace dragoman
