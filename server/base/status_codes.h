// The status codes of the contract, which clients, log lines and metrics may show. Pure functions.
#pragma once

#include "absl/status/status.h"

namespace dragoman::server {

// Returns `code` if it is part of the contract, else kInternal, because the server is at fault.
// absl's codes have the numbers of google.rpc.Code and so of gRPC.
absl::StatusCode ContractCode(absl::StatusCode code);

// Returns the name of a code in metrics and logs: "OK", "INVALID_ARGUMENT", ...
const char* CodeName(absl::StatusCode code);

}  // namespace dragoman::server
