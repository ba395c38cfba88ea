// gRPC's statuses as absl::Status: the only place of the client where one becomes the other.
//
// All functions are pure. Codes are the same numbers on both sides. What the server says beside
// the code stays with the status as payloads: each google.rpc detail under its type URL, and the
// metadata grpc-retry-pushback-ms under that name.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace grpc {
class Status;
}
namespace google::rpc {
class Status;
}

namespace dragoman::client {

// `pushback` is the value of trailing metadata grpc-retry-pushback-ms, if there was one.
absl::Status FromGrpc(const grpc::Status& status, std::optional<std::string> pushback);

// Whether a call that this side has not cancelled met a closing server: gRPC 1.51 ends calls that
// arrive between its shutdown and the goodbye to their connection with a bare CANCELLED. What
// Dragoman itself ends always carries a google.rpc.Status.
bool WasNeverTaken(const grpc::Status& status);

// Whether a message was larger than the server, or this side, takes: gRPC says RESOURCE_EXHAUSTED
// for that too, without a hint when to come back, for there is none.
bool IsMessageTooLarge(const absl::Status& status);

// The status of one item of a response.
absl::Status FromItem(const google::rpc::Status& status);

// When the server says that a call may be tried again.
struct RetryHint {
  // Unset: the server says nothing.
  std::optional<std::chrono::nanoseconds> delay;
  // The server says: never. A pushback that is negative or no number means that (gRPC A6).
  bool never = false;
};

// From the pushback, else from RetryInfo.
RetryHint RetryHintOf(const absl::Status& status);

// "contents[3]: what is wrong", for each violation of a BadRequest detail.
std::vector<std::string> Violations(const absl::Status& status);

// "INVALID_ARGUMENT", as gRPC writes it; "CODE_99" for one that is not known.
std::string CodeName(absl::StatusCode code);

// "CODE: message (field: what; ...)" in one line, for people.
std::string ForPeople(const absl::Status& status);

}  // namespace dragoman::client
