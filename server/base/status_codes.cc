#include "server/base/status_codes.h"

namespace dragoman::server {
namespace {

constexpr char kInternal[] = "INTERNAL";

// Returns null if the code is not part of the contract. Has no default case, so that the compiler
// warns about a new code.
const char* NameInContract(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return "OK";
    case absl::StatusCode::kCancelled:
      return "CANCELLED";
    case absl::StatusCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case absl::StatusCode::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case absl::StatusCode::kNotFound:
      return "NOT_FOUND";
    case absl::StatusCode::kPermissionDenied:
      return "PERMISSION_DENIED";
    case absl::StatusCode::kUnauthenticated:
      return "UNAUTHENTICATED";
    case absl::StatusCode::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case absl::StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case absl::StatusCode::kAborted:
      return "ABORTED";
    case absl::StatusCode::kUnimplemented:
      return "UNIMPLEMENTED";
    case absl::StatusCode::kUnavailable:
      return "UNAVAILABLE";
    case absl::StatusCode::kInternal:
      return kInternal;
    // The server never makes these codes.
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kDoNotUseReservedForFutureExpansionUseDefaultInSwitchInstead_:
      break;
  }
  return nullptr;
}

}  // namespace

absl::StatusCode ContractCode(absl::StatusCode code) {
  return NameInContract(code) == nullptr ? absl::StatusCode::kInternal : code;
}

const char* CodeName(absl::StatusCode code) {
  const char* const name = NameInContract(code);
  return name == nullptr ? kInternal : name;
}

}  // namespace dragoman::server
