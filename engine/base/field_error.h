// An error of a field of a request, as data. It rides on an INVALID_ARGUMENT status beside the
// message, so that a message may be reworded without changing what a caller can read.
//
// Pure functions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::engine {

struct FieldError {
  std::string field;     // path on the wire, as "decoding.beam_size"; "" is the request as a whole
  std::string found;     // as "65"
  std::string expected;  // as "1..64"
  // The other side of a contradiction: what `field` does not go with, such as "decoding.pruning",
  // and why.
  std::string other;
  std::string reason;
  // How the message says it, where "FIELD: found FOUND, expected EXPECTED" would read badly. One of
  // the two: `predicate` follows the field as its subject ("has no tokens, expected text"), `words`
  // a colon.
  std::string predicate;
  std::string words;

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

// `field` was found together with `other`, and only one of them can be.
FieldError Contradiction(std::string field, std::string other, std::string reason);

// The message without the field.
std::string Description(const FieldError& error);

// INVALID_ARGUMENT with these errors; the message has them all, with "; " between. REQUIRES: not
// empty.
absl::Status InvalidRequest(const std::vector<FieldError>& errors);
absl::Status InvalidRequest(FieldError error);

// The errors of such a status; none for any other.
std::vector<FieldError> FieldErrorsOf(const absl::Status& status);

// The same status without them.
absl::Status WithoutFieldErrors(absl::Status status);

}  // namespace dragoman::engine
