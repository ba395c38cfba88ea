#include "server/base/status_codes.h"

namespace dragoman {
namespace {

struct NamedCode {
  absl::StatusCode code;
  const char* name;
};

constexpr NamedCode kContract[] = {
    {absl::StatusCode::kOk, "OK"},
    {absl::StatusCode::kCancelled, "CANCELLED"},
    {absl::StatusCode::kInvalidArgument, "INVALID_ARGUMENT"},
    {absl::StatusCode::kDeadlineExceeded, "DEADLINE_EXCEEDED"},
    {absl::StatusCode::kNotFound, "NOT_FOUND"},
    {absl::StatusCode::kResourceExhausted, "RESOURCE_EXHAUSTED"},
    {absl::StatusCode::kUnimplemented, "UNIMPLEMENTED"},
    {absl::StatusCode::kUnavailable, "UNAVAILABLE"},
    {absl::StatusCode::kUnauthenticated, "UNAUTHENTICATED"},
    {absl::StatusCode::kPermissionDenied, "PERMISSION_DENIED"},
};
constexpr NamedCode kOtherwise = {absl::StatusCode::kInternal, "INTERNAL"};

const NamedCode& InContract(absl::StatusCode code) {
  for (const NamedCode& named : kContract) {
    if (named.code == code) return named;
  }
  return kOtherwise;
}

}  // namespace

absl::StatusCode ContractCode(absl::StatusCode code) { return InContract(code).code; }

const char* CodeName(absl::StatusCode code) { return InContract(code).name; }

}  // namespace dragoman
