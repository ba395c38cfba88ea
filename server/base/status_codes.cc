#include "server/base/status_codes.h"

namespace dragoman::server {

absl::StatusCode ContractCode(absl::StatusCode code) {
  // Has no default case, so that the compiler warns about a new code.
  switch (code) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kInternal:
      return code;
    // The server never makes these codes.
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kDoNotUseReservedForFutureExpansionUseDefaultInSwitchInstead_:
      break;
  }
  return absl::StatusCode::kInternal;
}

std::string CodeName(absl::StatusCode code) { return absl::StatusCodeToString(ContractCode(code)); }

}  // namespace dragoman::server
