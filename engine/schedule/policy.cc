#include "engine/schedule/policy.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dragoman {
namespace {

// Products of two such numbers are exact.
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
    return Bad("capacity", 0, "a number of source tokens");
  }
  if (!Within(o.eps_den, 1, kLargest)) {
    return Bad("the denominator of eps", o.eps_den, absl::StrCat("1 to ", kLargest));
  }
  if (!Within(o.eps_num, 0, o.eps_den)) {
    return Bad("the numerator of eps", o.eps_num,
               absl::StrCat("0 to the denominator, ", o.eps_den));
  }
  if (!Within(o.width_budget, 0, max_rows)) {
    return Bad("width_budget", o.width_budget, absl::StrCat("0 to max_rows, ", max_rows));
  }
  if (o.max_pause < 0) return Bad("max_pause", o.max_pause, "0 or more steps");
  if (o.lanes != 0 && !Within(o.lanes, max_rows, kLargest)) {
    return Bad("lanes", o.lanes, absl::StrCat("0 or at least max_rows, ", max_rows));
  }
  if (o.window.segments < 1) return Bad("window.segments", o.window.segments, "1 or more");
  if (o.window.tokens < 1) return Bad("window.tokens", o.window.tokens, "1 or more");
  return absl::OkStatus();
}

int64_t Policy::Units(const Load& load) const {
  switch (options_.unit) {
    case CapacityUnit::kRows:
      break;
    case CapacityUnit::kSegments:
      return load.segments;
    case CapacityUnit::kSourceTokens:
      return load.source_tokens;
  }
  return load.rows;
}

int64_t Policy::Capacity(int max_rows) const {
  return options_.capacity > 0 ? options_.capacity : max_rows;
}

bool Policy::RefillBegins(const Load& live, const Waiting& waiting, int max_rows) const {
  if (waiting.load.segments == 0) return false;
  const int64_t n = Capacity(max_rows);
  switch (options_.refill) {
    case RefillRule::kContinuous:
      return true;
    case RefillRule::kStream:
      // The text of the paper says "drops below eps n", its algorithm "<=", which is the rule.
      return Units(live) * options_.eps_den <= options_.eps_num * n;
    case RefillRule::kHalfEmpty:
      return 2 * Units(live) <= n;
    case RefillRule::kStatic:
      break;
  }
  if (live.segments > 0) return false;
  return !waiting.on_its_way || waiting.held_up || Units(waiting.load) >= n;
}

bool Policy::Admits(const Load& live, const Load& next, int max_rows) const {
  if (live.segments == 0) return true;
  // A capacity may hold more rows than a step has; of those, too, costs are twice as much at most.
  const int64_t rows = std::max<int64_t>(max_rows, live.rows + next.rows);
  return Units(live) + Units(next) <= Capacity(max_rows) &&
         live.cost + next.cost <= kLoadOfRow * rows;
}

bool Policy::RefillGoesOn(const Waiting& waiting) const {
  return options_.refill != RefillRule::kStatic && waiting.on_its_way;
}

}  // namespace dragoman
