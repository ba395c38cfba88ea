// Compares what a search gave with what its case expects.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/oracle/oracle_case.h"

namespace dragoman::oracle {

// n-best, steps and counts; the beams after every step where asked for, and to explain a
// difference.
absl::Status CompareSearch(const OracleCase& c, const absl::StatusOr<SearchOutcome>& outcome,
                           const RunOptions& options);

}  // namespace dragoman::oracle
