// The status codes of the API's contract. Clients, log lines and metrics see no others. Pure
// functions.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace dragoman::server {

// Returns `code` if it is part of the contract, else kInternal, because any other code is a bug of
// the server. The codes of absl, google.rpc.Code and gRPC have the same numbers.
absl::StatusCode ContractCode(absl::StatusCode code);

// Returns the name of a code in metrics and logs: "OK", "INVALID_ARGUMENT", ...
std::string CodeName(absl::StatusCode code);

}  // namespace dragoman::server
