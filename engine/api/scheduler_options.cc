#include "engine/api/scheduler_options.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace dragoman::engine {
namespace {

// The largest allowed value. The product of two such values does not overflow an int64_t.
constexpr int64_t kLargest = int64_t{1} << 31;

absl::Status Bad(const char* setting, int64_t found, const std::string& expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("scheduler: ", setting, " is ", found, ", expected ", expected));
}

bool Within(int64_t value, int64_t least, int64_t most) { return value >= least && value <= most; }

}  // namespace

absl::Status CheckSchedulerOptions(const SchedulerOptions& o, int max_rows) {
  const int64_t most = o.unit == CapacityUnit::kSegments ? max_rows : kLargest;
  if (!Within(o.capacity, 0, most)) {
    return Bad("capacity", o.capacity, absl::StrCat("0 to ", most));
  }
  if (o.capacity == 0 && o.unit == CapacityUnit::kSourceTokens) {
    return Bad("capacity", 0, "at least 1 with the unit source-tokens");
  }
  if (!Within(o.eps_den, 1, kLargest)) {
    return Bad("the denominator of eps", o.eps_den, absl::StrCat("1 to ", kLargest));
  }
  if (!Within(o.eps_num, 0, o.eps_den)) {
    return Bad("the numerator of eps", o.eps_num,
               absl::StrCat("0 to ", o.eps_den, ", the denominator"));
  }
  if (!Within(o.width_budget, 0, max_rows)) {
    return Bad("width_budget", o.width_budget,
               absl::StrCat("0 to ", max_rows, ", which is max_rows"));
  }
  if (o.max_pause < 0) return Bad("max_pause", o.max_pause, "0 or more steps");
  if (o.lanes != 0 && !Within(o.lanes, max_rows, kLargest)) {
    return Bad("lanes", o.lanes, absl::StrCat("0 or at least ", max_rows, ", which is max_rows"));
  }
  if (o.window.segments < 1) return Bad("window.segments", o.window.segments, "1 or more");
  if (o.window.tokens < 1) return Bad("window.tokens", o.window.tokens, "1 or more");
  return absl::OkStatus();
}

}  // namespace dragoman::engine
