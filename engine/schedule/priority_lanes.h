// Segments waiting in order of priority: the one order in which every queue pops.
//
// Strict between classes, first come first served within one; but a BULK segment that has waited
// longer than kMaxBulkWait goes before all others. Not thread-safe: the queues lock around it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "engine/schedule/segment.h"

namespace dragoman {

inline constexpr Nanos kMaxBulkWait = 10'000'000'000;

class PriorityLanes {
 public:
  void Push(std::unique_ptr<Segment> segment) {
    load_.Add(segment->load());
    lanes_[static_cast<size_t>(segment->priority)].push_back(std::move(segment));
  }

  // The next to leave; nullptr when empty. `now` decides about BULK.
  const Segment* Peek(Nanos now) const {
    return empty() ? nullptr : lanes_[Next(now)].front().get();
  }

  // REQUIRES: not empty.
  std::unique_ptr<Segment> Pop(Nanos now) {
    auto& lane = lanes_[Next(now)];
    std::unique_ptr<Segment> segment = std::move(lane.front());
    lane.pop_front();
    load_.Subtract(segment->load());
    return segment;
  }

  // Takes out every segment of `owner`; of nobody in particular (nullptr): all.
  std::vector<std::unique_ptr<Segment>> Remove(const SegmentOwner* owner) {
    std::vector<std::unique_ptr<Segment>> removed;
    for (auto& lane : lanes_) {
      std::deque<std::unique_ptr<Segment>> kept;
      for (std::unique_ptr<Segment>& segment : lane) {
        if (owner != nullptr && segment->owner.get() != owner) {
          kept.push_back(std::move(segment));
          continue;
        }
        load_.Subtract(segment->load());
        removed.push_back(std::move(segment));
      }
      lane = std::move(kept);
    }
    return removed;
  }

  const Load& load() const { return load_; }
  int64_t size() const { return load_.segments; }
  int64_t tokens() const { return load_.source_tokens; }
  bool empty() const { return load_.segments == 0; }

  // When the segment that has waited longest was queued; `now` when empty.
  Nanos OldestQueuedAt(Nanos now) const {
    Nanos oldest = now;
    for (const auto& lane : lanes_) {
      if (!lane.empty() && lane.front()->queued_at < oldest) oldest = lane.front()->queued_at;
    }
    return oldest;
  }

 private:
  // REQUIRES: not empty.
  size_t Next(Nanos now) const {
    constexpr auto kBulk = static_cast<size_t>(Priority::kBulk);
    const auto& bulk = lanes_[kBulk];
    if (!bulk.empty() && now - bulk.front()->queued_at > kMaxBulkWait) return kBulk;
    size_t lane = 0;
    while (lanes_[lane].empty()) ++lane;
    return lane;
  }

  std::array<std::deque<std::unique_ptr<Segment>>, 3> lanes_;  // by Priority
  Load load_;
};

}  // namespace dragoman
