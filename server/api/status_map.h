// Converts absl::Status to gRPC's. No other code makes gRPC codes. Pure functions.
#pragma once

#include <grpcpp/support/status.h>

#include <optional>
#include <string>

#include "absl/status/status.h"

namespace dragoman::server {

// Returns code, message, and the google.rpc.Status (server/call/rpc_status.h) as binary details,
// which gRPC sends as trailing metadata grpc-status-details-bin.
grpc::Status ToGrpcStatus(const absl::Status& status);

// Returns the value of trailing metadata grpc-retry-pushback-ms for a status with a retry hint.
std::optional<std::string> RetryPushbackMs(const absl::Status& status);

}  // namespace dragoman::server
