// Errors of a request: absl::Status with google.rpc details.
//
// Details are payloads (serialized google.rpc messages under their type URL), so code that finds
// errors need not know gRPC. rpc_status.cc writes them to the wire. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/clock.h"

namespace dragoman::server {

// The maximum number of violations in an error. gRPC limits trailing metadata (8 KiB by default),
// and a request may have thousands of violations.
inline constexpr size_t kMaxViolations = 16;

struct FieldViolation {
  std::string field;        // such as "decoding.beam_size"
  std::string description;  // what was found, what was expected
};

// Returns INVALID_ARGUMENT with a google.rpc.BadRequest that has the first kMaxViolations
// violations. The message is "field: description; field: description ...". A violation with the
// field "" concerns the complete request and has no "field: ". `untold` is the number of violations
// that are not in the list. The message says how many these are. REQUIRES: `violations` is not
// empty.
absl::Status InvalidFields(const std::vector<FieldViolation>& violations, size_t untold = 0);
absl::Status InvalidField(std::string field, std::string description);

// Returns UNIMPLEMENTED that names the fields, at most 16 of them. REQUIRES: `fields` is not empty.
absl::Status UnimplementedFields(const std::vector<std::string>& fields);

// Adds a BadRequest to an INVALID_ARGUMENT of the engine: one violation for each FieldError of the
// status (engine/base/field_error.h), or one with the field "" if the status has none. Returns the
// status unchanged if it has another code or already has a BadRequest.
absl::Status WithFieldViolation(absl::Status status);

// Returns the message for the log. If a violation concerns a field with a client's text (terms,
// phrases, prefixes), returns only the names of the fields.
std::string LoggableMessage(const absl::Status& status);

// WithRetryAfter adds google.rpc.RetryInfo with `delay`. RetryAfterOf returns that delay, or
// nothing if the status has none.
absl::Status WithRetryAfter(absl::Status status, engine::Nanos delay);
std::optional<engine::Nanos> RetryAfterOf(const absl::Status& status);

// Returns the violations of a status; empty if it has no BadRequest.
std::vector<FieldViolation> ViolationsOf(const absl::Status& status);

}  // namespace dragoman::server
