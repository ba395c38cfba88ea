// What is wrong with a request, collected so that a caller learns it at once, and the readers of
// single values that add to it.
//
// Not thread-safe. `field` is the path on the wire, as "decoding.beam_size".
#pragma once

#include <google/protobuf/generated_enum_reflection.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/field_error.h"
#include "server/call/request_error.h"

namespace dragoman {

class Findings {
 public:
  // What was found and what was expected, in words and as data.
  void Invalid(std::string field, std::string description);
  void Invalid(const std::vector<FieldError>& errors);

  // Fields and features that are not there.
  void Unimplemented(std::vector<std::string> names);

  // OK, INVALID_ARGUMENT with all violations, or UNIMPLEMENTED. What is invalid is said first: it
  // stays invalid on a server that has the feature.
  absl::Status Status() const;

 private:
  std::vector<FieldViolation> violations_;  // as many as are told
  size_t untold_ = 0;
  std::vector<std::string> unimplemented_;
};

// Reports a phrase or term that is empty but for white space, longer than kMaxTermBytes, or has
// control characters (ProblemOfTerm, the engine's own rule).
void CheckPhrase(std::string_view text, const std::string& field, Findings* findings);

// Reports more than `limit` elements; false then: one by one they are not worth looking at.
bool CheckCount(int found, int limit, const char* field, Findings* findings);

// False for a number that the enum does not have, which is then reported.
bool IsKnownEnum(const google::protobuf::EnumDescriptor& type, int value, const char* field,
                 Findings* findings);

template <typename Wire, typename Value>
struct EnumPair {
  Wire wire;
  Value value;
};

// The value of `wire` in the table; none for the zero value (unset) and for unknown numbers, which
// are reported.
template <typename Wire, typename Value, size_t kSize>
std::optional<Value> ReadEnum(Wire wire, const EnumPair<Wire, Value> (&table)[kSize],
                              const char* field, Findings* findings) {
  const auto* type = google::protobuf::GetEnumDescriptor<Wire>();
  if (!IsKnownEnum(*type, wire, field, findings)) return std::nullopt;
  for (const EnumPair<Wire, Value>& pair : table) {
    if (pair.wire == wire) return pair.value;
  }
  return std::nullopt;
}

}  // namespace dragoman
