#include "server/api/status_map.h"

#include "server/base/steady_clock.h"
#include "server/call/request_error.h"
#include "server/call/rpc_status.h"

namespace dragoman::server {

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const google::rpc::Status rpc = ToRpcStatus(status);
  return grpc::Status(static_cast<grpc::StatusCode>(rpc.code()), rpc.message(),
                      rpc.SerializeAsString());
}

std::optional<std::string> RetryPushbackMs(const absl::Status& status) {
  const auto delay = RetryAfterOf(status);
  if (!delay.has_value()) return std::nullopt;
  return std::to_string((*delay + kNanosPerMilli - 1) / kNanosPerMilli);
}

}  // namespace dragoman::server
