// Converts gRPC's statuses to absl::Status.
//
// Thread-safety: pure functions. The codes of absl::Status and gRPC have the same numbers. Other
// data from the server becomes payloads of the absl::Status: each google.rpc detail under its type
// URL, and the metadata grpc-retry-pushback-ms under this name.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace grpc {
class Status;
}
namespace google::rpc {
class Status;
}

namespace dragoman::client {

// `pushback` is the value of the trailing metadata grpc-retry-pushback-ms, if present.
absl::Status FromGrpc(const grpc::Status& status, std::optional<std::string> pushback);

// Reports whether `status` means that the server was shutting down and has not started the call. If
// a call arrives after the server's shutdown but before the GOAWAY on its connection, gRPC 1.51
// ends it with CANCELLED and no details. A status from Dragoman itself always has a
// google.rpc.Status as details. REQUIRES: the client has not cancelled the call.
bool WasNeverTaken(const grpc::Status& status);

// Reports whether the status says that a message exceeded the size limit of the server or the
// client. gRPC then returns RESOURCE_EXHAUSTED without a retry hint.
bool IsMessageTooLarge(const absl::Status& status);

// Converts the error of one item of a response.
absl::Status FromItem(const google::rpc::Status& status);

// Says when the server allows a retry.
struct RetryHint {
  // Unset: the server gave no delay.
  std::optional<std::chrono::nanoseconds> delay;
  // Whether the server forbids retries: its pushback is negative or not a number (gRFC A6).
  bool never = false;
};

// Reads the pushback or, if there is none, the RetryInfo detail.
RetryHint RetryHintOf(const absl::Status& status);

// Returns "contents[3]: what is wrong" for each violation of a BadRequest detail.
std::vector<std::string> Violations(const absl::Status& status);

// Returns the name as gRPC writes it, such as "INVALID_ARGUMENT"; "CODE_99" for an unknown code.
std::string CodeName(absl::StatusCode code);

// Returns a status as one line for users: "CODE: message (field: what; ...)".
std::string ForPeople(const absl::Status& status);

}  // namespace dragoman::client
