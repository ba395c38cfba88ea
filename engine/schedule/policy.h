// Decides which segments enter the batch and which slots run in a step. The decode loop passes the
// load of the segments in slots (`live`) and of the segments that wait. The decisions depend only
// on these arguments and the settings.
//
// A refill is a period in which segments may enter. At the beginning of each round, the loop asks
// whether a refill begins (RefillBegins). During a refill it asks for each segment, in the queue's
// order, whether to admit it (Admits). The refill ends when a segment does not fit. If the queue
// becomes empty first, the loop asks whether the refill continues in the next round (RefillGoesOn).
//
// Thread-safe: immutable.
#pragma once

#include <cstdint>

#include "engine/api/scheduler_options.h"

namespace dragoman::engine {

// The size of a group of segments, such as those in slots or those in a queue. Has a member for
// each CapacityUnit. Source tokens include EOS.
struct Load {
  int64_t segments = 0;
  int64_t source_tokens = 0;
  int64_t rows = 0;
  int64_t cost = 0;  // the sum of SearchOptions::row_cost over the rows

  void Add(const Load& other) {
    segments += other.segments;
    source_tokens += other.source_tokens;
    rows += other.rows;
    cost += other.cost;
  }
  void Subtract(const Load& other) {
    segments -= other.segments;
    source_tokens -= other.source_tokens;
    rows -= other.rows;
    cost -= other.cost;
  }
};

// The segments that wait for a slot.
struct Waiting {
  Load load;                // of the segments in the encoded queue
  bool on_its_way = false;  // the encoder has more segments, or looks for them
  bool held_up = false;     // the encoder waits until a segment enters a slot or ends
};

class Policy {
 public:
  // Uses the default options: segments enter whenever there are rows for them.
  Policy() = default;
  // REQUIRES: CheckSchedulerOptions returned OK.
  explicit Policy(const SchedulerOptions& options) : options_(options) {}

  // Reports whether a refill begins. With RefillRule::kStatic, an empty batch waits for enough
  // segments to fill the capacity, but only while more segments are on their way and the encoder is
  // not held up. So if the batch is empty and a segment waits, the result always becomes true.
  bool RefillBegins(const Load& live, const Waiting& waiting, int max_rows) const;

  // Reports whether the next segment may enter. An empty batch admits any segment. Otherwise two
  // limits apply to `live` and `next` together. Their units must not exceed the capacity. Their row
  // costs must not exceed kLoadOfRow times max_rows, or kLoadOfRow times their rows if these are
  // more.
  bool Admits(const Load& live, const Load& next, int max_rows) const;

  // Reports whether a refill that has emptied the queue continues. A refill continues while more
  // segments are on their way, except with RefillRule::kStatic.
  bool RefillGoesOn(const Waiting& waiting) const;

  // Reports whether the encoder takes complete windows. All rules except kContinuous need complete
  // windows, because these rules rely on the order of a window. With kContinuous, the encoder takes
  // only as many segments as the encoded queue has room for, so that new segments wait behind fewer
  // others.
  bool WholeWindows() const { return options_.refill != RefillRule::kContinuous; }

  // Returns the rules by which the plan of a step selects slots.
  kernels::PlanRules plan_rules() const {
    return {options_.selection, options_.width_budget, options_.max_pause};
  }

 private:
  int64_t Units(const Load& load) const;
  int64_t Capacity(int max_rows) const;

  SchedulerOptions options_;  // constant after construction
};

}  // namespace dragoman::engine
