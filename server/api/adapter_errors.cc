#include "server/api/adapter_errors.h"

#include <google/protobuf/util/json_util.h>

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/api/absl_view.h"
#include "server/base/status_codes.h"
#include "server/call/rpc_status.h"

namespace dragoman::server {
namespace {

constexpr std::pair<absl::StatusCode, int> kStatuses[] = {
    {absl::StatusCode::kOk, 200},
    {absl::StatusCode::kInvalidArgument, 400},
    {absl::StatusCode::kFailedPrecondition, 400},
    {absl::StatusCode::kOutOfRange, 400},
    {absl::StatusCode::kUnauthenticated, 401},
    {absl::StatusCode::kPermissionDenied, 403},
    {absl::StatusCode::kNotFound, 404},
    {absl::StatusCode::kAborted, 409},
    {absl::StatusCode::kAlreadyExists, 409},
    {absl::StatusCode::kResourceExhausted, 429},
    {absl::StatusCode::kCancelled, 499},
    {absl::StatusCode::kInternal, 500},
    {absl::StatusCode::kUnimplemented, 501},
    {absl::StatusCode::kUnavailable, 503},
    {absl::StatusCode::kDeadlineExceeded, 504},
};

// HTTP statuses that StatusOfHttp never returns, and the code that CodeOfHttp returns for each.
constexpr std::pair<absl::StatusCode, int> kOtherStatuses[] = {
    {absl::StatusCode::kUnimplemented, 405},
    {absl::StatusCode::kDeadlineExceeded, 408},
    {absl::StatusCode::kUnimplemented, 505},
};

// The type URL of the payload that marks an HttpError: the HTTP status in digits. Clients do not
// get this payload.
constexpr char kStatusUrl[] = "dragoman/http-status";

// Returns the details of the status in protobuf's JSON; null if there are none.
nlohmann::json DetailsOf(absl::Status status) {
  status.ErasePayload(kStatusUrl);
  const google::rpc::Status rpc = ToRpcStatus(status);
  std::string text;
  // Details of a type that this program does not have cannot be written.
  if (rpc.details_size() == 0 || !google::protobuf::util::MessageToJsonString(rpc, &text).ok()) {
    return nullptr;
  }
  nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  return parsed.is_object() && parsed.contains("details") ? parsed["details"] : nullptr;
}

}  // namespace

int StatusOfHttp(absl::StatusCode code) {
  for (const auto& [status_code, http] : kStatuses) {
    if (status_code == code) return http;
  }
  return 500;
}

absl::StatusCode CodeOfHttp(int status) {
  if (status < 400) return absl::StatusCode::kOk;
  for (const auto& [status_code, http] : kStatuses) {
    if (http == status) return status_code;
  }
  for (const auto& [status_code, http] : kOtherStatuses) {
    if (http == status) return status_code;
  }
  return status < 500 ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kInternal;
}

absl::Status HttpError(int http_status, std::string_view message) {
  absl::Status status(CodeOfHttp(http_status), View(message));
  status.SetPayload(kStatusUrl, absl::Cord(absl::StrCat(http_status)));
  return status;
}

bool IsHttpError(const absl::Status& status) { return status.GetPayload(kStatusUrl).has_value(); }

int StatusOfHttp(const absl::Status& status) {
  int http = 0;
  const auto payload = status.GetPayload(kStatusUrl);
  if (payload.has_value() && absl::SimpleAtoi(std::string(*payload), &http)) return http;
  return StatusOfHttp(status.code());
}

nlohmann::json ErrorObject(const absl::Status& status) {
  const google::rpc::Status rpc = ToRpcStatus(status);
  nlohmann::json error = {{"code", StatusOfHttp(status)},
                          {"message", rpc.message()},
                          {"status", CodeName(ContractCode(status.code()))}};
  nlohmann::json details = DetailsOf(status);
  if (!details.is_null()) error["details"] = std::move(details);
  return error;
}

HttpResponse NeutralError(const absl::Status& status) {
  return JsonResponse(StatusOfHttp(status), {{"error", ErrorObject(status)}});
}

std::string DumpJson(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

HttpResponse JsonResponse(int status, const nlohmann::json& body) {
  return JsonTextResponse(status, DumpJson(body));
}

HttpResponse JsonTextResponse(int status, std::string body) {
  return {
      .status = status, .content_type = "application/json; charset=utf-8", .body = std::move(body)};
}

}  // namespace dragoman::server
