// Collects all errors of a request, so that the client gets them in one answer.
//
// Not thread-safe. `field` is the path of a field in the request, such as "decoding.beam_size".
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
  // Both add violations. `description` says what was found and what was expected.
  void Invalid(std::string field, std::string description);
  void Invalid(const std::vector<engine::FieldError>& errors);

  // Adds fields or features that this server does not have.
  void Unimplemented(std::vector<std::string> names);

  // Returns OK, INVALID_ARGUMENT with all violations, or UNIMPLEMENTED. INVALID_ARGUMENT takes
  // precedence, because the violations would also be errors on a server that has the feature.
  absl::Status Status() const;

 private:
  std::vector<FieldViolation> violations_;  // at most kMaxViolations
  size_t untold_ = 0;
  std::vector<std::string> unimplemented_;
};

// Adds a violation for a phrase or term that is empty or only white space, is longer than
// kMaxTermBytes, or has control characters. This is the engine's rule, ProblemOfTerm.
void CheckPhrase(std::string_view text, const std::string& field, Violations* violations);

// Reports whether `found` is at most `limit`, and adds a violation if not.
bool CheckCount(int found, int limit, const char* field, Violations* violations);

// Reports whether the enum has this number, and adds a violation if not.
bool IsKnownEnum(const google::protobuf::EnumDescriptor& type, int value, const char* field,
                 Violations* violations);

template <typename Wire, typename Value>
struct EnumPair {
  Wire wire;
  Value value;
};

// Returns the value of `wire` in the table, or nothing for the zero value (unset) and for unknown
// numbers. Adds a violation for unknown numbers.
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
