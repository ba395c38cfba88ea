#include "server/compat/foreign_call.h"

#include <grpcpp/support/slice.h>

#include <utility>

#include "server/api/raw_service.h"

namespace dragoman::server {

ForeignCall::ForeignCall(const ServiceContext* service, grpc::CallbackServerContext* rpc, Api api,
                         std::string route, ReadForeign read)
    : CallReactor(service, rpc),
      read_(std::move(read)),
      call_(std::make_shared<UnaryTranslation>(service->calls, RpcMethod::kTranslate,
                                               Head(api, std::move(route)), this)) {}

void ForeignCall::HandleRequest(const grpc::ByteBuffer& request) {
  absl::StatusOr<ForeignRequest> read = read_(FlattenBytes(request));
  if (!read.ok()) {
    call_->HandleNoRequest(read.status());
    return;
  }
  write_ = std::move(read->write);
  call_->HandleRequest(
      ReadTranslateRequest(std::move(read->request), calls().limits, CallKind::kUnary));
}

void ForeignCall::HandleCancel() {
  if (IsDeadline()) {
    call_->Expire();
  } else {
    call_->Cancel();
  }
}

absl::Status ForeignCall::SetAnswer(const v1::TranslateResponse& answer) {
  const absl::StatusOr<std::string> bytes = write_(answer);
  if (!bytes.ok()) return bytes.status();
  const grpc::Slice slice(*bytes);
  response_ = grpc::ByteBuffer(&slice, 1);
  return absl::OkStatus();
}

void ForeignCall::Finish(const absl::Status& status) {
  const grpc::Status end = EndStatus(status);
  if (status.ok()) {
    SendAndFinish(&response_, end);
  } else {
    FinishCall(end);
  }
}

}  // namespace dragoman::server
