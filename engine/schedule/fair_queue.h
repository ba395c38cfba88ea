// A queue of segments whose order is fair to clients. The request queue and the encoded queue
// contain one.
//
// A flow is the segments of one client in one priority. Flows take turns
// (engine/base/fair_turns.h). The cost of a segment is source tokens times beam times
// SearchOptions::row_cost. It estimates the segment's row-steps, that is, the sum of its rows over
// all decoding steps. The weight of a flow is the client's share times the weight of the priority.
// Segments of a flow leave in the order of their arrival, but those that are searched again
// (Segment::again) leave right after the first one.
//
// So flows divide row-steps in proportion to their weights. Suppose that a segment of cost c
// arrives in an empty flow of weight w. It waits for the segment that Peek has already chosen, and
// for about c * w' / w row-steps of each other flow of weight w', even if that flow is long. Low
// priorities also get a part. Otherwise a client that marks everything INTERACTIVE would starve the
// rest.
//
// The segment that Peek returns stays the next one until Pop or Remove. So a segment that waits for
// room is not overtaken by a smaller one.
//
// Not thread-safe: the owner must lock. Owns its segments until Pop or Remove.
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

// The weight of each Priority: INTERACTIVE, NORMAL, BULK.
inline constexpr std::array<int64_t, 3> kPriorityWeights = {16, 4, 1};

// The estimated cost of a segment that is not tokenized yet: 32 source tokens at beam 4.
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

  // Estimates the cost of all segments that leave before a segment of `client` that would arrive
  // now. Takes time proportional to the number of flows.
  int64_t CostBefore(uint64_t client, int share, Priority priority) const;

  // Cost(segment) estimates the row-steps of a segment. cost() returns the sum of Cost over all
  // waiting segments.
  static int64_t Cost(const Segment& segment);
  int64_t cost() const { return cost_; }

  const Load& load() const { return load_; }
  int64_t size() const { return load_.segments; }
  int64_t tokens() const { return load_.source_tokens; }
  bool empty() const { return load_.segments == 0; }

  // Returns the time at which the oldest segment was queued; `now` if the queue is empty.
  Nanos OldestQueuedAt(Nanos now) const;

 private:
  struct Flow : FairTurns::Flow {
    uint64_t client = 0;
    Priority priority = Priority::kNormal;
    int64_t share = 1;  // Segment::share of the segment that arrived last
    int64_t cost = 0;   // the sum of Cost over its segments
    std::deque<std::unique_ptr<Segment>> segments;

    const Segment& head() const { return *segments.front(); }
    int64_t weight() const { return share * kPriorityWeights[static_cast<size_t>(priority)]; }
  };

  // Before the first segment of a flow changes, Leave takes the flow out of the order. Afterwards,
  // Enter puts it back.
  void Enter(Flow* flow);
  void Leave(Flow* flow);
  Flow* Next();  // REQUIRES: not empty

  // The flows by Priority and client number. No flow is empty.
  std::array<std::unordered_map<uint64_t, Flow>, 3> flows_;
  FairTurns turns_;
  // The flows, ordered by the time at which their first segment was queued.
  std::set<std::pair<Nanos, Flow*>> ages_;
  Flow* next_ = nullptr;  // the flow that Peek has chosen
  int64_t cost_ = 0;
  Load load_;
};

}  // namespace dragoman::engine
