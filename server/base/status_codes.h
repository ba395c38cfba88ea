// The codes of the contract: those that a client, a log line and a metric may see. Pure functions.
#pragma once

#include "absl/status/status.h"

namespace dragoman::server {

// The code itself where it is part of the contract; else kInternal: wherever it was made, the fault
// is ours. The numbers of absl's codes are those of google.rpc.Code, and so of gRPC.
absl::StatusCode ContractCode(absl::StatusCode code);

// The name of a code as in metrics and logs: "OK", "INVALID_ARGUMENT", ...
const char* CodeName(absl::StatusCode code);

}  // namespace dragoman::server
