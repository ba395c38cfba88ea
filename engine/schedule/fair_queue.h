// Waiting segments in an order that is fair to clients. Both queues pop in this order.
//
// A flow is what a client has waiting in one priority. Flows take turns (engine/base/fair_turns.h).
// The cost of a segment, about its row-steps, is its source tokens times the cost of its rows. The
// weight of a flow is the client's share times the weight of the priority. Segments of a flow leave
// in the order of their arrival.
//
// So flows share row-steps by their weights. A segment of a new client with cost c and weight w
// waits for the segment that is next already, and for about c * w' / w row-steps of each other flow
// of weight w', however long that flow is. No priority is strictly first, because a client that
// marks everything INTERACTIVE would starve the rest. INTERACTIVE is worth 4 x NORMAL.
//
// After Peek, the next segment stays next until Pop or Remove. A segment that waits for room is not
// overtaken by one that fits better.
//
// Not thread-safe: the queues lock. Owns its segments until Pop or Remove.
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

// The estimated row-steps of a sentence that is not known yet: 32 tokens at beam 4.
inline constexpr int64_t kSentenceCost = 128;

class FairQueue {
 public:
  void Push(std::unique_ptr<Segment> segment);

  // Returns the next segment; nullptr if empty.
  const Segment* Peek();

  // Takes out the next segment. REQUIRES: not empty.
  std::unique_ptr<Segment> Pop();

  // Takes out every segment of `owner`; nullptr: all segments.
  std::vector<std::unique_ptr<Segment>> Remove(const SegmentOwner* owner);

  // Estimates the cost that leaves before a sentence of `client` that arrives now. Takes time
  // proportional to the number of flows.
  int64_t CostBefore(uint64_t client, int share, Priority priority) const;

  // Estimates the row-steps of a segment. cost() is the sum over all segments.
  static int64_t Cost(const Segment& segment);
  int64_t cost() const { return cost_; }

  const Load& load() const { return load_; }
  int64_t size() const { return load_.segments; }
  int64_t tokens() const { return load_.source_tokens; }
  bool empty() const { return load_.segments == 0; }

  // Returns when the segment that has waited longest was queued; `now` if empty.
  Nanos OldestQueuedAt(Nanos now) const;

 private:
  struct Flow : FairTurns::Flow {
    uint64_t client = 0;
    Priority priority = Priority::kNormal;
    int64_t share = 1;  // of the last segment that came
    int64_t cost = 0;   // of all its segments
    std::deque<std::unique_ptr<Segment>> segments;

    const Segment& head() const { return *segments.front(); }
    int64_t weight() const { return share * kPriorityWeights[static_cast<size_t>(priority)]; }
  };

  // Put a flow with a new head into the order, or take it out.
  void Enter(Flow* flow);
  void Leave(Flow* flow);
  Flow* Next();  // REQUIRES: not empty

  std::array<std::unordered_map<uint64_t, Flow>, 3>
      flows_;  // by Priority and client; no flow is empty
  FairTurns turns_;
  std::set<std::pair<Nanos, Flow*>> ages_;  // by the time when the head was queued
  Flow* next_ = nullptr;                    // the flow that Peek has chosen
  int64_t cost_ = 0;
  Load load_;
};

}  // namespace dragoman::engine
