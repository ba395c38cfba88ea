// Decides which segments to admit and which slots to run. The decode loop passes the live and the
// waiting load. The answers depend only on these arguments and the settings.
//
// A refill is a time in which segments may enter. At the beginning of a round, the loop asks
// whether a refill begins. Then it asks for each segment, in the queue's order, whether to admit
// it. If the queue becomes empty, it asks whether the refill continues in the next round. A refill
// ends when a segment is refused, because the capacity is reached or there is no room for it.
//
// Thread-safe: immutable.
#pragma once

#include <cstdint>

#include "engine/api/scheduler_options.h"

namespace dragoman::engine {

// The load of segments in slots or in a queue, in all units. Source tokens include EOS.
struct Load {
  int64_t segments = 0;
  int64_t source_tokens = 0;
  int64_t rows = 0;
  int64_t cost = 0;  // the rows, each counted with its cost (SearchOptions::row_cost)

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
  Load load;                // encoded
  bool on_its_way = false;  // the encoder has more segments, or is about to take them
  bool held_up = false;     // but it cannot continue before a segment enters a slot or ends
};

class Policy {
 public:
  // Continuous top-up of all rows.
  Policy() = default;
  // REQUIRES: CheckSchedulerOptions returned OK.
  explicit Policy(const SchedulerOptions& options) : options_(options) {}

  // Reports whether a refill begins. With the static rule, an empty batch waits until it can be
  // full while more segments are on their way. With an empty batch and a waiting segment, the
  // result is true as soon as no segments are on their way, or the encoder is held up.
  bool RefillBegins(const Load& live, const Waiting& waiting, int max_rows) const;

  // Reports whether the next segment may enter. It must fit into the capacity. The cost of all rows
  // must be at most kLoadOfRow times max_rows, or times the rows if these are more. An empty batch
  // admits any segment.
  bool Admits(const Load& live, const Load& next, int max_rows) const;

  // Reports whether a refill that has emptied the queue continues. It does while more segments are
  // on their way, except with the static rule.
  bool RefillGoesOn(const Waiting& waiting) const;

  // Reports whether the encoder takes complete windows, because the rule depends on sorting them.
  // If not, it takes what has room, so that new segments wait for less.
  bool WholeWindows() const { return options_.refill != RefillRule::kContinuous; }

  // Returns how the plan of a step selects slots.
  kernels::PlanRules plan_rules() const {
    return {options_.selection, options_.width_budget, options_.max_pause};
  }

 private:
  int64_t Units(const Load& load) const;
  int64_t Capacity(int max_rows) const;

  SchedulerOptions options_;  // constant after construction
};

}  // namespace dragoman::engine
