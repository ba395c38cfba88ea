// Oracle cases of the schedulers, kinds `stream_schedule` and `topup_schedule`: the production
// decode loop on a scripted model whose segments live a given number of steps and have a given
// number of rows in each (SEARCH.md a.4, c).
//
// Thread-safe: a case owns all that it uses.
#pragma once

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace dragoman::testing {

// Runs the case, an object with `kind`, `input` and `expected`, and compares every field of
// `expected`; in lists of selected segments the order does not count. INTERNAL: the first
// difference. INVALID_ARGUMENT: not such a case, or one that no beam search can have.
absl::Status RunScheduleCase(const nlohmann::json& test_case);

}  // namespace dragoman::testing
