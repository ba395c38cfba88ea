// All errors of a request, collected so that a caller learns them at once, and the readers of
// single values that add to them.
//
// Not thread-safe. `field` is the path on the wire, such as "decoding.beam_size".
#pragma once

#include <google/protobuf/generated_enum_reflection.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/field_error.h"
#include "server/call/request_error.h"

namespace dragoman::server {

class Violations {
 public:
  // Adds violations. A description says what was found and what was expected.
  void Invalid(std::string field, std::string description);
  void Invalid(const std::vector<engine::FieldError>& errors);

  // Adds fields and features that this server does not have.
  void Unimplemented(std::vector<std::string> names);

  // OK, INVALID_ARGUMENT with all violations, or UNIMPLEMENTED. Violations come first: they
  // stay violations on a server that has the feature.
  absl::Status Status() const;

 private:
  std::vector<FieldViolation> violations_;  // as many as are listed
  size_t untold_ = 0;
  std::vector<std::string> unimplemented_;
};

// Reports a phrase or term that is empty but for white space, longer than kMaxTermBytes, or has
// control characters (ProblemOfTerm, the engine's own rule).
void CheckPhrase(std::string_view text, const std::string& field, Violations* violations);

// Reports more than `limit` elements; false then: they are not worth checking one by one.
bool CheckCount(int found, int limit, const char* field, Violations* violations);

// False for a number that the enum does not have, which is then reported.
bool IsKnownEnum(const google::protobuf::EnumDescriptor& type, int value, const char* field,
                 Violations* violations);

template <typename Wire, typename Value>
struct EnumPair {
  Wire wire;
  Value value;
};

// The value of `wire` in the table; none for the zero value (unset) and for unknown numbers, which
// are reported.
template <typename Wire, typename Value, size_t kSize>
std::optional<Value> ReadEnum(Wire wire, const EnumPair<Wire, Value> (&table)[kSize],
                              const char* field, Violations* violations) {
  const auto* type = google::protobuf::GetEnumDescriptor<Wire>();
  if (!IsKnownEnum(*type, wire, field, violations)) return std::nullopt;
  for (const EnumPair<Wire, Value>& pair : table) {
    if (pair.wire == wire) return pair.value;
  }
  return std::nullopt;
}

}  // namespace dragoman::server
