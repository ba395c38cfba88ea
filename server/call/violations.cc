#include "server/call/violations.h"

#include <google/protobuf/descriptor.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/api/glossary_terms.h"
#include "engine/base/utf8.h"

namespace dragoman::server {

void Violations::Invalid(std::string field, std::string description) {
  // Keeps the first errors only, because a request may have millions.
  if (violations_.size() == kMaxViolations) {
    ++untold_;
  } else {
    violations_.push_back({std::move(field), std::move(description)});
  }
}

void Violations::Invalid(const std::vector<engine::FieldError>& errors) {
  for (const engine::FieldError& error : errors) Invalid(error.field, engine::Description(error));
}

void Violations::Unimplemented(std::vector<std::string> names) {
  for (std::string& name : names) unimplemented_.push_back(std::move(name));
}

absl::Status Violations::Status() const {
  if (!violations_.empty()) return InvalidFields(violations_, untold_);
  if (!unimplemented_.empty()) return UnimplementedFields(unimplemented_);
  return absl::OkStatus();
}

void CheckPhrase(std::string_view text, const std::string& field, Violations* violations) {
  const std::optional<engine::TermProblem> problem =
      engine::ProblemOfTerm(engine::StripWhiteSpace(text));
  if (problem.has_value()) violations->Invalid(field, problem->predicate);
}

bool CheckCount(int found, int limit, const char* field, Violations* violations) {
  if (found <= limit) return true;
  violations->Invalid(field, absl::StrCat("found ", found, ", expected at most ", limit));
  return false;
}

bool IsKnownEnum(const google::protobuf::EnumDescriptor& type, int value, const char* field,
                 Violations* violations) {
  if (type.FindValueByNumber(value) != nullptr) return true;
  std::string names;
  for (int i = 1; i < type.value_count(); ++i) {
    absl::StrAppend(&names, i == 1 ? "" : ", ", type.value(i)->name());
  }
  violations->Invalid(field, absl::StrCat("found number ", value, ", expected ", names));
  return false;
}

}  // namespace dragoman::server
