#include "server/request_error.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/rpc/error_details.pb.h"
#include "server/steady_clock.h"

namespace dragoman {
namespace {

constexpr char kBadRequestUrl[] = "type.googleapis.com/google.rpc.BadRequest";
constexpr char kRetryInfoUrl[] = "type.googleapis.com/google.rpc.RetryInfo";

// Trailing metadata is limited (8 KiB by default) and a request may have thousands of mistakes.
constexpr size_t kMaxViolations = 16;
constexpr size_t kMaxNamedFields = 16;

bool IsFieldPath(std::string_view text) {
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '[' ||
           c == ']';
  });
}

void SetBadRequest(const std::vector<FieldViolation>& violations, absl::Status* status) {
  google::rpc::BadRequest bad;
  for (size_t i = 0; i < std::min(violations.size(), kMaxViolations); ++i) {
    auto* v = bad.add_field_violations();
    v->set_field(violations[i].field);
    v->set_description(violations[i].description);
  }
  status->SetPayload(kBadRequestUrl, absl::Cord(bad.SerializeAsString()));
}

}  // namespace

absl::Status InvalidFields(const std::vector<FieldViolation>& violations) {
  std::string message;
  for (size_t i = 0; i < std::min(violations.size(), kMaxViolations); ++i) {
    absl::StrAppend(&message, i == 0 ? "" : "; ", violations[i].field, ": ",
                    violations[i].description);
  }
  if (violations.size() > kMaxViolations) {
    absl::StrAppend(&message, "; and ", violations.size() - kMaxViolations, " more");
  }
  absl::Status status = absl::InvalidArgumentError(message);
  SetBadRequest(violations, &status);
  return status;
}

absl::Status InvalidField(std::string field, std::string description) {
  return InvalidFields({{std::move(field), std::move(description)}});
}

absl::Status UnimplementedFields(const std::vector<std::string>& fields) {
  const size_t named = std::min(fields.size(), kMaxNamedFields);
  std::string message = absl::StrJoin(fields.begin(), fields.begin() + named, ", ");
  if (named < fields.size()) absl::StrAppend(&message, " and ", fields.size() - named, " more");
  return absl::UnimplementedError(
      absl::StrCat(message, ": this server does not have this feature"));
}

absl::Status WithFieldViolation(absl::Status status) {
  if (status.code() != absl::StatusCode::kInvalidArgument ||
      status.GetPayload(kBadRequestUrl).has_value()) {
    return status;
  }
  const std::string_view message(status.message().data(), status.message().size());
  const size_t colon = message.find(": ");
  if (colon != std::string_view::npos && IsFieldPath(message.substr(0, colon))) {
    SetBadRequest({{std::string(message.substr(0, colon)), std::string(message.substr(colon + 2))}},
                  &status);
  } else {
    SetBadRequest({{"", std::string(message)}}, &status);
  }
  return status;
}

absl::Status WithRetryAfter(absl::Status status, Nanos delay) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(delay / kNanosPerSecond);
  info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(delay % kNanosPerSecond));
  status.SetPayload(kRetryInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

std::optional<Nanos> RetryAfterOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kRetryInfoUrl);
  google::rpc::RetryInfo info;
  if (!payload.has_value() || !info.ParseFromString(std::string(*payload))) return std::nullopt;
  return info.retry_delay().seconds() * kNanosPerSecond + info.retry_delay().nanos();
}

std::vector<FieldViolation> ViolationsOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kBadRequestUrl);
  google::rpc::BadRequest bad;
  std::vector<FieldViolation> violations;
  if (!payload.has_value() || !bad.ParseFromString(std::string(*payload))) return violations;
  violations.reserve(bad.field_violations_size());
  for (const auto& v : bad.field_violations()) violations.push_back({v.field(), v.description()});
  return violations;
}

}  // namespace dragoman
