#include "server/grpc/stream_call.h"

#include "server/grpc/grpc_bytes.h"

namespace dragoman {

StreamCall::StreamCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
    : CallReactor(service, rpc),
      call_(std::make_shared<StreamTranslation>(
          service->calls, RpcMethod::kStreamTranslate,
          Head(Api::kDragoman, "dragoman.v1.TranslationService/StreamTranslate"), this)) {}

void StreamCall::HandleRequest(const grpc::ByteBuffer& request) {
  call_->HandleRequest(
      ParseTranslateRequest(FlattenBytes(request), calls().limits, CallKind::kStream));
}

void StreamCall::HandleCancel() {
  if (IsDeadline()) {
    call_->Expire();
  } else {
    call_->Cancel();
  }
}

void StreamCall::StartWrite(v1::StreamTranslateResponse message) {
  // Cannot fail: only a message above 2 GiB would, which the limits on requests exclude.
  SerializeBytes(message, &buffer_);
  // Send comes last: before it returns, OnWriteDone may come, and the end of the call.
  Send(&buffer_);
}

}  // namespace dragoman
