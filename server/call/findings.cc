#include "server/call/findings.h"

#include <google/protobuf/descriptor.h>

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/api/limits.h"
#include "engine/base/utf8.h"

namespace dragoman {

void Findings::Invalid(std::string field, std::string description) {
  // A request may have millions of mistakes.
  if (violations_.size() == kMaxViolations) {
    ++untold_;
  } else {
    violations_.push_back({std::move(field), std::move(description)});
  }
}

void Findings::Unimplemented(std::vector<std::string> names) {
  for (std::string& name : names) unimplemented_.push_back(std::move(name));
}

absl::Status Findings::Status() const {
  if (!violations_.empty()) return InvalidFields(violations_, untold_);
  if (!unimplemented_.empty()) return UnimplementedFields(unimplemented_);
  return absl::OkStatus();
}

std::optional<int> ReadInt(bool set, int value, int low, int high, const char* field,
                           Findings* findings) {
  if (!set) return std::nullopt;
  if (value < low || value > high) {
    findings->Invalid(field, absl::StrCat("found ", value, ", expected ", low, "..", high));
    return std::nullopt;
  }
  return value;
}

std::optional<int> ReadIntFrom(bool set, int value, int low, const char* field,
                               Findings* findings) {
  if (!set) return std::nullopt;
  if (value < low) {
    findings->Invalid(field, absl::StrCat("found ", value, ", expected at least ", low));
    return std::nullopt;
  }
  return value;
}

std::optional<float> ReadFloat(bool set, float value, float low, float high, const char* field,
                               Findings* findings) {
  if (!set) return std::nullopt;
  if (!(value >= low && value <= high)) {
    findings->Invalid(field, absl::StrCat("found ", value, ", expected ", low, "..", high));
    return std::nullopt;
  }
  return value;
}

std::optional<float> ReadFloatFromZero(bool set, float value, const char* field,
                                       Findings* findings) {
  if (!set) return std::nullopt;
  if (!(value >= 0.0F && value <= std::numeric_limits<float>::max())) {
    findings->Invalid(field, absl::StrCat("found ", value, ", expected a finite number from 0"));
    return std::nullopt;
  }
  return value;
}

std::optional<float> ReadFloatAboveZero(bool set, float value, float high, const char* field,
                                        Findings* findings) {
  if (!set) return std::nullopt;
  if (!(value >= std::numeric_limits<float>::min() && value <= high)) {
    findings->Invalid(field,
                      absl::StrCat("found ", value, ", expected a number above 0, at most ", high));
    return std::nullopt;
  }
  return value;
}

void CheckPhrase(std::string_view text, const std::string& field, Findings* findings) {
  // Its own words: the text is not quoted.
  if (const auto problem = ProblemOfTerm(StripWhiteSpace(text))) findings->Invalid(field, *problem);
}

bool CheckCount(int found, int limit, const char* field, Findings* findings) {
  if (found <= limit) return true;
  findings->Invalid(field, absl::StrCat("found ", found, ", expected at most ", limit));
  return false;
}

bool IsKnownEnum(const google::protobuf::EnumDescriptor& type, int value, const char* field,
                 Findings* findings) {
  if (type.FindValueByNumber(value) != nullptr) return true;
  std::string names;
  for (int i = 1; i < type.value_count(); ++i) {
    absl::StrAppend(&names, i == 1 ? "" : ", ", type.value(i)->name());
  }
  findings->Invalid(field, absl::StrCat("found number ", value, ", expected ", names));
  return false;
}

}  // namespace dragoman
