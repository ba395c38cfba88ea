// Converts errors to and from google.rpc.Status, the message that clients read. Pure functions.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"
#include "google/rpc/status.pb.h"

namespace dragoman::server {

// The maximum size of an error message, which travels in HTTP/2 headers. Longer messages are cut.
inline constexpr size_t kMaxErrorMessageBytes = 1024;

// Converts the status of a call or of an item. Payloads of `status`, which are google.rpc details
// (request_error.h), become the details of the message.
google::rpc::Status ToRpcStatus(const absl::Status& status);
// The inverse of ToRpcStatus.
absl::Status FromRpcStatus(const google::rpc::Status& rpc);

// Returns the error of the first item that failed; OK if none failed.
absl::Status ItemErrorOf(const v1::TranslateResponse& answer);

}  // namespace dragoman::server
