// An error in a field of a request, as data. An INVALID_ARGUMENT status carries it next to its
// message, so that messages may change without changing the data. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::engine {

struct FieldError {
  std::string field;     // path on the wire, such as "decoding.beam_size"; "": the complete request
  std::string found;     // such as "65"
  std::string expected;  // such as "1..64"
  // Set for a contradiction: the field that excludes `field`, such as "decoding.pruning", and why.
  std::string other;
  std::string reason;
  // Text in place of "found FOUND, expected EXPECTED", if that would read badly. At most one is
  // set. The message is "FIELD PREDICATE" ("... has no tokens, expected text") or "FIELD: WORDS".
  std::string predicate;
  std::string words;

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

// Returns the error for a request that has both `field` and `other` and may have only one of them.
FieldError Contradiction(std::string field, std::string other, std::string reason);

// Returns the message without the field.
std::string Description(const FieldError& error);

// Returns INVALID_ARGUMENT with these errors. Its message joins all of them with "; ". REQUIRES:
// `errors` is not empty.
absl::Status InvalidRequest(const std::vector<FieldError>& errors);
absl::Status InvalidRequest(FieldError error);

// Returns the errors of such a status; none for any other status.
std::vector<FieldError> FieldErrorsOf(const absl::Status& status);

// Returns the status without its errors.
absl::Status WithoutFieldErrors(absl::Status status);

}  // namespace dragoman::engine
