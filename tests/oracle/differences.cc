#include "tests/oracle/differences.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace dragoman::oracle {

std::string ToText(const Tokens& tokens) {
  return absl::StrCat("[", absl::StrJoin(tokens, ", "), "]");
}

std::string ToText(double value) { return absl::StrFormat("%.9g", value); }

bool Differences::Equal(double a, double b) const {
  return a == b || std::fabs(a - b) <= tolerance_;  // a - b is NaN for equal infinities
}

void Differences::Real(const std::string& field, double found, double expected) {
  if (Equal(found, expected)) return;
  Say(absl::StrCat(field, " is ", ToText(found), ", expected ", ToText(expected)));
}

void Differences::Reals(const std::string& field, const std::vector<double>& found,
                        const std::vector<double>& expected) {
  Integer(absl::StrCat("length of ", field), static_cast<int64_t>(found.size()),
          static_cast<int64_t>(expected.size()));
  if (found.size() != expected.size()) return;
  for (size_t i = 0; i < found.size(); ++i) {
    Real(absl::StrCat(field, "[", i, "]"), found[i], expected[i]);
  }
}

void Differences::Integer(const std::string& field, int64_t found, int64_t expected) {
  if (found != expected) Say(absl::StrCat(field, " is ", found, ", expected ", expected));
}

void Differences::Boolean(const std::string& field, bool found, bool expected) {
  if (found == expected) return;
  Say(absl::StrCat(field, " is ", found ? "true" : "false"));
}

void Differences::Ids(const std::string& field, const Tokens& found, const Tokens& expected) {
  if (found != expected) {
    Say(absl::StrCat(field, " is ", ToText(found), ", expected ", ToText(expected)));
  }
}

absl::Status Differences::status() const {
  if (lines_.empty()) return absl::OkStatus();
  constexpr size_t kShown = 6;
  std::vector<std::string> shown(
      lines_.begin(),
      lines_.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, lines_.size())));
  if (lines_.size() > kShown) shown.push_back(absl::StrCat(lines_.size() - kShown, " more"));
  return absl::FailedPreconditionError(absl::StrJoin(shown, "; "));
}

}  // namespace dragoman::oracle
