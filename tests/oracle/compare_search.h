// Compares a search's result with the expectation of its case.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/oracle/oracle_case.h"

namespace dragoman::oracle {

// Compares n-best, steps and counts. Compares the beams too, on request or to explain a difference.
absl::Status CompareSearch(const OracleCase& c, const absl::StatusOr<SearchOutcome>& outcome,
                           const RunOptions& options);

}  // namespace dragoman::oracle
