#include "server/call/findings.h"

#include <google/protobuf/descriptor.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/api/term_text.h"
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

void Findings::Invalid(const std::vector<FieldError>& errors) {
  for (const FieldError& error : errors) Invalid(error.field, Description(error));
}

void Findings::Unimplemented(std::vector<std::string> names) {
  for (std::string& name : names) unimplemented_.push_back(std::move(name));
}

absl::Status Findings::Status() const {
  if (!violations_.empty()) return InvalidFields(violations_, untold_);
  if (!unimplemented_.empty()) return UnimplementedFields(unimplemented_);
  return absl::OkStatus();
}

void CheckPhrase(std::string_view text, const std::string& field, Findings* findings) {
  const std::optional<TermProblem> problem = ProblemOfTerm(StripWhiteSpace(text));
  if (problem.has_value()) findings->Invalid(field, problem->predicate);
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
