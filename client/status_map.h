// Converts gRPC's statuses to absl::Status.
//
// All functions are pure. Codes are the same numbers on both sides. The other data from the server
// becomes payloads of the status: each google.rpc detail under its type URL, and the metadata
// grpc-retry-pushback-ms under that name.
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

// Reports whether a call that the client has not cancelled reached a closing server. gRPC 1.51 ends
// calls that arrive between its shutdown and the GOAWAY on their connection with a bare CANCELLED.
// A status from Dragoman itself always carries a google.rpc.Status.
bool WasNeverTaken(const grpc::Status& status);

// Reports whether a message exceeded the size limit of the server or of the client. gRPC returns
// RESOURCE_EXHAUSTED for that too, without a retry hint.
bool IsMessageTooLarge(const absl::Status& status);

// Returns the status of one item of a response.
absl::Status FromItem(const google::rpc::Status& status);

// When the server allows a retry.
struct RetryHint {
  // Unset: the server gave no delay.
  std::optional<std::chrono::nanoseconds> delay;
  // The server forbids retries: its pushback is negative or not a number (gRPC A6).
  bool never = false;
};

// Reads the pushback, else RetryInfo.
RetryHint RetryHintOf(const absl::Status& status);

// Returns "contents[3]: what is wrong" for each violation of a BadRequest detail.
std::vector<std::string> Violations(const absl::Status& status);

// Returns the name as gRPC writes it, such as "INVALID_ARGUMENT"; "CODE_99" for an unknown code.
std::string CodeName(absl::StatusCode code);

// Returns "CODE: message (field: what; ...)" in one line.
std::string ForPeople(const absl::Status& status);

}  // namespace dragoman::client
