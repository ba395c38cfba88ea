#include "server/compat/foreign_call.h"

#include <grpcpp/support/slice.h>

#include "server/api/raw_service.h"

namespace dragoman::server {

void ForeignCall::HandleRequest(const grpc::ByteBuffer& request) {
  absl::StatusOr<ForeignRequest> read = read_(FlattenBytes(request));
  if (!read.ok()) {
    call().HandleNoRequest(read.status());
    return;
  }
  write_ = std::move(read->write);
  call().HandleRequest(
      ReadTranslateRequest(std::move(read->request), calls().limits, CallKind::kUnary));
}

absl::Status ForeignCall::SetAnswer(const v1::TranslateResponse& answer) {
  const absl::StatusOr<std::string> bytes = write_(answer);
  if (!bytes.ok()) return bytes.status();
  const grpc::Slice slice(*bytes);
  *response() = grpc::ByteBuffer(&slice, 1);
  return absl::OkStatus();
}

}  // namespace dragoman::server
