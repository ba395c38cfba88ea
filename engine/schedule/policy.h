// Decides which segments to admit and which slots to run: a pure object, settings without state of
// its own. The loop passes what is live and what waits; equal arguments always give the same
// answer.
//
// A refill is the time in which segments may enter. The loop asks at the beginning of a round
// whether one begins; then, segment by segment in the queue's order, whether the next is admitted;
// and, when the queue has run empty, whether the refill goes on in the next round. A refill ends
// when the next segment is refused: the capacity is reached, or there is no room for it.
//
// Thread-safe: immutable.
#pragma once

#include <cstdint>

#include "engine/api/scheduler_options.h"

namespace dragoman::engine {

// Segments in slots, or in a queue, by all units. Source tokens include EOS.
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
  bool on_its_way = false;  // the encoder has more in hand, or is about to take it
  bool held_up = false;     // but cannot go on before a waiting segment has entered a slot or ended
};

class Policy {
 public:
  // Continuous top-up of all rows.
  Policy() = default;
  // REQUIRES: CheckSchedulerOptions returned OK.
  explicit Policy(const SchedulerOptions& options) : options_(options) {}

  // Whether a refill is to begin. An empty batch of the static rule waits for all that it can take
  // while more is on its way; every other one begins with what there is. With an empty batch and
  // something waiting the answer is true as soon as nothing more is on its way or that is held up.
  bool RefillBegins(const Load& live, const Waiting& waiting, int max_rows) const;

  // Whether the next segment may enter in a refill: within the capacity, and with the costs of rows
  // within kLoadOfRow times max_rows, or the rows where those are more; alone, in any case.
  bool Admits(const Load& live, const Load& next, int max_rows) const;

  // Whether a refill that took all there was goes on while the encoder is at work. A static batch
  // takes nothing more once it runs.
  bool RefillGoesOn(const Waiting& waiting) const;

  // Whether the encoder takes windows whole, because to sort them is part of the method; if not, it
  // takes what there is room for, so that the next segment waits for less.
  bool WholeWindows() const { return options_.refill != RefillRule::kContinuous; }

  // How the plan selects slots; asked for every step.
  kernels::PlanRules plan_rules() const {
    return {options_.selection, options_.width_budget, options_.max_pause};
  }

 private:
  int64_t Units(const Load& load) const;
  int64_t Capacity(int max_rows) const;

  SchedulerOptions options_;  // constant after construction
};

}  // namespace dragoman::engine
