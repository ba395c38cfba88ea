// Errors of a request, as absl::Status that carries google.rpc details.
//
// Details ride as payloads of the status (serialised google.rpc messages under their type URL), so
// that the code that finds an error need not know gRPC; rpc_status.cc puts them on the wire.
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/clock.h"

namespace dragoman::server {

// Trailing metadata is limited (8 KiB by default) and a request may have thousands of mistakes.
inline constexpr size_t kMaxViolations = 16;

struct FieldViolation {
  std::string field;        // such as "decoding.beam_size"
  std::string description;  // what was found, what was expected
};

// INVALID_ARGUMENT with a google.rpc.BadRequest of all violations (of the first 16, if there are
// more); the message is "field: description; field: description ...", without "field: " for field
// "", which is the request as a whole. REQUIRES: not empty.
// `untold`: how many there are besides these.
absl::Status InvalidFields(const std::vector<FieldViolation>& violations, size_t untold = 0);
absl::Status InvalidField(std::string field, std::string description);

// UNIMPLEMENTED naming every field. REQUIRES: not empty.
absl::Status UnimplementedFields(const std::vector<std::string>& fields);

// Gives an INVALID_ARGUMENT of the engine, which has FieldErrors (engine/base/field_error.h), a
// BadRequest with them; one that has neither gets a violation of field "". Others stay as they are.
absl::Status WithFieldViolation(absl::Status status);

// The message for the log. Fields whose values are a client's text (terms, phrases, prefixes) are
// only named in it.
std::string LoggableMessage(const absl::Status& status);

// Adds google.rpc.RetryInfo.
absl::Status WithRetryAfter(absl::Status status, engine::Nanos delay);
std::optional<engine::Nanos> RetryAfterOf(const absl::Status& status);

// The violations of a status; empty without a BadRequest.
std::vector<FieldViolation> ViolationsOf(const absl::Status& status);

}  // namespace dragoman::server
