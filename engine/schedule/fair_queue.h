// Segments waiting in order of priority and, within one priority, in fair turns of clients: the one
// order in which every queue pops.
//
// Strict between priorities, but for BULK that has waited longer than kMaxBulkWait: every other
// segment is then a BULK one. Within a priority the clients take turns by deficit round robin
// (Shreedhar & Varghese 1995): a turn is worth kFairQuantum times the client's share, a segment costs
// its source tokens times its rows with their costs, which is about the row-steps that it will take.
// So whoever comes new waits for one turn of each other client at most, however much those have
// waiting. Segments of one client leave in the order in which they came.
//
// The next in order stays next until it is popped or removed, or something of a higher priority
// arrives: who waits for room for it is not overtaken by one that fits better.
//
// Not thread-safe: the queues lock around it. Owns its segments until Pop or Remove hands them
// over.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/schedule/segment.h"

namespace dragoman {

inline constexpr Nanos kMaxBulkWait = 10'000'000'000;

// Row-steps of a turn: four sentences of 32 tokens at beam 4.
inline constexpr int64_t kFairQuantum = 512;

class FairQueue {
 public:
  void Push(std::unique_ptr<Segment> segment);

  // The next to leave; nullptr when empty. `now` decides about BULK.
  const Segment* Peek(Nanos now) const;

  // Takes it out. REQUIRES: not empty.
  std::unique_ptr<Segment> Pop(Nanos now);

  // Takes out every segment of `owner`; of nobody in particular (nullptr): all.
  std::vector<std::unique_ptr<Segment>> Remove(const SegmentOwner* owner);

  // About what leaves before a segment of `client` that came now, in the unit of Cost. Costs a look
  // at each client of the class.
  int64_t CostBefore(uint64_t client, int share, Priority priority) const;

  // Of a segment: the row-steps that it will take, about. Of all of them.
  static int64_t Cost(const Segment& segment);
  int64_t cost() const;

  const Load& load() const { return load_; }
  int64_t size() const { return load_.segments; }
  int64_t tokens() const { return load_.source_tokens; }
  bool empty() const { return load_.segments == 0; }

  // When the segment that has waited longest was queued; `now` when empty.
  Nanos OldestQueuedAt(Nanos now) const;

 private:
  // What one client has waiting in one class.
  struct Flow {
    uint64_t client = 0;
    int64_t deficit = 0;  // row-steps that it may still take in this turn
    int64_t share = 1;
    int64_t cost = 0;  // of all its segments
    std::deque<std::unique_ptr<Segment>> segments;

    const Segment& head() const { return *segments.front(); }
  };

  // The segments of one priority. The flow in front has the turn, and its deficit is enough for its
  // head.
  class Class {
   public:
    bool empty() const { return turns_.empty(); }
    const Segment& head() const { return turns_.front().head(); }
    Nanos oldest() const { return heads_.begin()->first; }  // REQUIRES: not empty
    int64_t cost() const { return cost_; }
    int64_t CostBefore(uint64_t client, int64_t share) const;
    void Push(std::unique_ptr<Segment> segment);
    std::unique_ptr<Segment> Pop();  // REQUIRES: not empty
    void Remove(const SegmentOwner* owner, std::vector<std::unique_ptr<Segment>>* removed);

   private:
    using Turns = std::list<Flow>;

    // Passes the turn on until who has it can pay for its head.
    void Settle();
    Turns::iterator Erase(Turns::iterator flow);

    Turns turns_;  // none is empty
    int64_t cost_ = 0;
    std::unordered_map<uint64_t, Turns::iterator> flows_;
    std::set<std::pair<Nanos, uint64_t>> heads_;  // of each flow: when its head was queued, client
  };

  // REQUIRES: not empty.
  size_t Next(Nanos now) const;

  std::array<Class, 3> classes_;  // by Priority
  bool last_was_bulk_ = false;    // of what has left
  Load load_;
};

}  // namespace dragoman
