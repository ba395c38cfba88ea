// Oracle cases of the schedulers, kinds `stream_schedule` and `topup_schedule`. They run the
// production decode loop on a scripted model whose segments live a given number of steps with a
// given number of rows in each (SEARCH.md a.4, c).
//
// Thread-safe: a case owns all its data.
#pragma once

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace dragoman::testing {

// Runs a case, an object with `kind`, `input` and `expected`, and compares every field of
// `expected`. The order in lists of selected segments does not matter. INTERNAL: the first
// difference. INVALID_ARGUMENT: not such a case, or one that is impossible in a beam search.
absl::Status RunScheduleCase(const nlohmann::json& test_case);

}  // namespace dragoman::testing
