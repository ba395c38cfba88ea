#include "engine/schedule/policy.h"

#include <algorithm>

#include "kernels/search/plan.h"

namespace dragoman::engine {

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
      // The paper says "drops below eps n" in its text, but "<=" in its algorithm. This line
      // follows the algorithm.
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
  // The capacity may allow more rows than a step has. The cost limit then grows with the number of
  // rows.
  const int64_t rows = std::max<int64_t>(max_rows, live.rows + next.rows);
  return Units(live) + Units(next) <= Capacity(max_rows) &&
         live.cost + next.cost <= kernels::kLoadOfRow * rows;
}

bool Policy::RefillGoesOn(const Waiting& waiting) const {
  return options_.refill != RefillRule::kStatic && waiting.on_its_way;
}

}  // namespace dragoman::engine
