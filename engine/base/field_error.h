// Defines FieldError, which describes an error in a field of a request. An INVALID_ARGUMENT status
// carries FieldErrors in addition to its message, so that callers need not parse the message. Pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::engine {

struct FieldError {
  // The path of the field in the request, such as "decoding.beam_size". "": the error concerns the
  // complete request.
  std::string field;
  std::string found;     // such as "65"
  std::string expected;  // such as "1..64"
  // Set if two fields exclude each other: `other` is the second field, such as "decoding.pruning",
  // and `reason` says why.
  std::string other;
  std::string reason;
  // The message is "FIELD: found FOUND, expected EXPECTED". If that would read badly, one of these
  // strings is set. Then the message is "FIELD PREDICATE" ("... has no tokens, expected text") or
  // "FIELD: WORDS".
  std::string predicate;
  std::string words;

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

// Returns the error for a request that sets both `field` and `other`, which exclude each other.
FieldError Contradiction(std::string field, std::string other, std::string reason);

// Returns the error's message without the name of the field.
std::string Description(const FieldError& error);

// Returns INVALID_ARGUMENT that carries these errors. Its message joins their messages with "; ".
// REQUIRES: `errors` is not empty.
absl::Status InvalidRequest(const std::vector<FieldError>& errors);
absl::Status InvalidRequest(FieldError error);

// Returns the errors of a status that InvalidRequest made; none for any other status.
std::vector<FieldError> FieldErrorsOf(const absl::Status& status);

// Returns the status with its code and message only.
absl::Status WithoutFieldErrors(absl::Status status);

}  // namespace dragoman::engine
