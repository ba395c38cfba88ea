#include "server/call/request_error.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/field_error.h"
#include "google/rpc/error_details.pb.h"
#include "server/base/steady_clock.h"

namespace dragoman::server {
namespace {

constexpr char kBadRequestUrl[] = "type.googleapis.com/google.rpc.BadRequest";
constexpr char kRetryInfoUrl[] = "type.googleapis.com/google.rpc.RetryInfo";

constexpr size_t kMaxNamedFields = 16;

// Reports whether messages about a field may quote a client's text.
bool HoldsText(std::string_view field) {
  for (const std::string_view name : {"terms", "do_not_translate", "target_prefixes",
                                      "decoding.required_phrases", "decoding.forbidden_phrases"}) {
    if (field.substr(0, name.size()) == name) return true;
  }
  return false;
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

absl::Status InvalidFields(const std::vector<FieldViolation>& violations, size_t untold) {
  std::string message;
  for (size_t i = 0; i < std::min(violations.size(), kMaxViolations); ++i) {
    const FieldViolation& v = violations[i];
    absl::StrAppend(&message, i == 0 ? "" : "; ", v.field, v.field.empty() ? "" : ": ",
                    v.description);
  }
  if (violations.size() > kMaxViolations) untold += violations.size() - kMaxViolations;
  if (untold > 0) absl::StrAppend(&message, "; and ", untold, " more");
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
  std::vector<FieldViolation> violations;
  for (const engine::FieldError& error : engine::FieldErrorsOf(status)) {
    violations.push_back({error.field, engine::Description(error)});
  }
  if (violations.empty()) violations.push_back({"", std::string(status.message())});
  SetBadRequest(violations, &status);
  return engine::WithoutFieldErrors(std::move(status));
}

std::string LoggableMessage(const absl::Status& status) {
  std::set<std::string> fields;
  bool has_text = false;
  for (const FieldViolation& violation : ViolationsOf(status)) {
    fields.insert(violation.field);
    has_text = has_text || HoldsText(violation.field);
  }
  if (!has_text) return std::string(status.message());
  return absl::StrCat("refused for ", absl::StrJoin(fields, ", "));
}

absl::Status WithRetryAfter(absl::Status status, engine::Nanos delay) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(delay / kNanosPerSecond);
  info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(delay % kNanosPerSecond));
  status.SetPayload(kRetryInfoUrl, absl::Cord(info.SerializeAsString()));
  return status;
}

std::optional<engine::Nanos> RetryAfterOf(const absl::Status& status) {
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

}  // namespace dragoman::server
