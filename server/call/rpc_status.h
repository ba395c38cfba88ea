// An error as the message that clients read, google.rpc.Status. Pure function.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace dragoman {

// Messages longer than this are cut: they travel in HTTP/2 headers.
inline constexpr size_t kMaxErrorMessageBytes = 1024;

// The status of a call, or of an item. Payloads of `status`, which are google.rpc details
// (request_error.h), become the details of the message.
google::rpc::Status ToRpcStatus(const absl::Status& status);

}  // namespace dragoman
