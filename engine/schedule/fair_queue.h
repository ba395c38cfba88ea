// Segments waiting in an order that is fair to clients: the one order in which every queue pops.
//
// What a client has waiting in one priority is a flow, and flows take turns (engine/base/
// fair_turns.h). Costs are source tokens times rows with their costs, which is about the row-steps
// that a segment takes; the weight is the client's share times that of the priority.
//
// So flows that have something waiting share row-steps by their weights, and a segment of a new
// client waits for as many row-steps of each other flow as it takes itself, times the other's
// weight and divided by its own, and for what was next already: however much the others have
// waiting, and in any priority. None is strictly before another, or one client could starve the
// rest by marking all it has INTERACTIVE: that is worth four times a NORMAL client's share, no
// more. Segments of a flow leave in the order in which they came.
//
// The next in order, once looked at, stays next until it is popped or removed: what waits for room
// is not overtaken by what fits better.
//
// Not thread-safe: the queues lock around it. Owns its segments until Pop or Remove hands them
// over.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/fair_turns.h"
#include "engine/schedule/segment.h"

namespace dragoman::engine {

// The weights of a client's flows, by Priority: INTERACTIVE, NORMAL, BULK.
inline constexpr std::array<int64_t, 3> kPriorityWeights = {16, 4, 1};

// Row-steps of a sentence, where it is not known yet: 32 tokens at beam 4.
inline constexpr int64_t kSentenceCost = 128;

class FairQueue {
 public:
  void Push(std::unique_ptr<Segment> segment);

  // The next to leave; nullptr when empty.
  const Segment* Peek();

  // Takes it out. REQUIRES: not empty.
  std::unique_ptr<Segment> Pop();

  // Takes out every segment of `owner`; nullptr: every segment.
  std::vector<std::unique_ptr<Segment>> Remove(const SegmentOwner* owner);

  // About what leaves before a sentence of `client` that came now, in the unit of Cost. Takes a
  // look at each flow.
  int64_t CostBefore(uint64_t client, int share, Priority priority) const;

  // About the row-steps that a segment will take; below, the sum over all segments.
  static int64_t Cost(const Segment& segment);
  int64_t cost() const { return cost_; }

  const Load& load() const { return load_; }
  int64_t size() const { return load_.segments; }
  int64_t tokens() const { return load_.source_tokens; }
  bool empty() const { return load_.segments == 0; }

  // When the segment that has waited longest was queued; `now` when empty.
  Nanos OldestQueuedAt(Nanos now) const;

 private:
  // The segments that one client has waiting in one priority.
  struct Flow : FairTurns::Flow {
    uint64_t client = 0;
    Priority priority = Priority::kNormal;
    int64_t share = 1;  // of the last segment that came
    int64_t cost = 0;   // of all its segments
    std::deque<std::unique_ptr<Segment>> segments;

    const Segment& head() const { return *segments.front(); }
    int64_t weight() const { return share * kPriorityWeights[static_cast<size_t>(priority)]; }
  };

  // Puts a flow with a new head in its place, or takes it out of it.
  void Enter(Flow* flow);
  void Leave(Flow* flow);
  Flow* Next();  // REQUIRES: not empty

  std::array<std::unordered_map<uint64_t, Flow>, 3>
      flows_;  // by Priority and client; none is empty
  FairTurns turns_;
  std::set<std::pair<Nanos, Flow*>> ages_;  // when its head was queued
  Flow* next_ = nullptr;                    // that was looked at
  int64_t cost_ = 0;
  Load load_;
};

}  // namespace dragoman::engine
