// Domain status to the wire: the only place that makes gRPC codes.
//
// Pure functions. Payloads of a status that are google.rpc details (request_error.h) become details
// of the google.rpc.Status.
#pragma once

#include <grpcpp/support/status.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace dragoman {

// Messages longer than this are cut: they travel in HTTP/2 headers.
inline constexpr size_t kMaxErrorMessageBytes = 1024;

// For an item's own error.
google::rpc::Status ToRpcStatus(const absl::Status& status);

// For a call: code, message, and the google.rpc.Status as binary details, which gRPC sends as
// trailing metadata grpc-status-details-bin.
grpc::Status ToGrpcStatus(const absl::Status& status);

// The value of trailing metadata grpc-retry-pushback-ms, for a status with a retry hint.
std::optional<std::string> RetryPushbackMs(const absl::Status& status);

// The name of a code as in metrics and logs: "OK", "INVALID_ARGUMENT", ...
const char* CodeName(absl::StatusCode code);

}  // namespace dragoman
