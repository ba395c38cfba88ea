// Tells which accesses of other warps a warp knows to have happened. Vector clocks with one
// component for each agent of a launch (Lamport 1978; Fidge 1988), in the compressed form of
// FastTrack (Flanagan and Freund 2009).
//
// An agent is a warp, or the engine that performs a block's bulk copies. A warp's own component
// counts the instructions that publish its writes: barriers, arrivals, fences. Only bar.warp.sync
// and barriers order the lanes of a warp, so an access also records its lane.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace dragoman::ptx {

// When something happened: at a tick of an agent, by one of its lanes. Agents count from 1.
struct Moment {
  static constexpr uint32_t kSeveralLanes = 33;

  uint32_t agent = 0;  // 0: never
  uint32_t tick : 24 = 0;
  uint32_t lane : 6 = 0;
  uint32_t strong : 1 = 0;  // an atomic, or another access that does not race with strong accesses
};

// The knowledge of a launch about agents of other operations of the device, which came before it or
// run at the same time.
class OtherOperations {
 public:
  enum class Known : uint8_t {
    kNever,
    kAfterWait,  // known to warps that have executed griddepcontrol.wait
    kAlways,
  };
  struct Span {
    uint32_t first = 0;
    uint32_t end = 0;
    Known known = Known::kNever;
  };

  // The launch's own agents, to which this does not apply. Agents below `floor` are known. Other
  // agents that are in no span are unknown.
  uint32_t first = 1;
  uint32_t end = ~uint32_t{0};
  uint32_t floor = 1;
  std::vector<Span> spans;  // ascending

  bool IsOther(uint32_t agent) const { return agent < first || agent >= end; }
  bool Knows(uint32_t agent, bool waited) const {
    if (agent < floor) return true;
    auto after = std::upper_bound(spans.begin(), spans.end(), agent,
                                  [](uint32_t a, const Span& span) { return a < span.first; });
    if (after == spans.begin()) return false;
    const Span& span = *std::prev(after);
    if (agent >= span.end) return false;
    return span.known == Known::kAlways || (span.known == Known::kAfterWait && waited);
  }
};

class VectorClock {
 public:
  VectorClock() = default;
  // The clock of an agent of a block whose agents are first .. first + agents - 1. `others` must
  // outlive the clock; nullptr: there are none. `waited`: whether the agent knows what a wait
  // orders.
  VectorClock(uint32_t agent, uint32_t first, uint32_t agents,
              const OtherOperations* others = nullptr, bool waited = true)
      : agent_(agent), first_(first), near_(agents, 0), others_(others), waited_(waited) {
    near_[agent - first] = 1;
  }

  // A tick that no agent reaches.
  static constexpr uint32_t kNeverKnown = (1U << 24) - 1;

  uint32_t agent() const { return agent_; }
  uint32_t first() const { return first_; }
  uint32_t tick() const { return near_[agent_ - first_]; }
  void Advance() { ++near_[agent_ - first_]; }
  void SetTick(uint32_t tick) { near_[agent_ - first_] = tick; }
  bool KnowsNothing() const { return near_.empty() && far_.empty() && !waited_; }
  void Wait() { waited_ = true; }

  Moment Now(int lane, bool strong) const {
    Moment now;
    now.agent = agent_;
    now.tick = tick();
    now.lane = static_cast<uint32_t>(lane);
    now.strong = strong ? 1 : 0;
    return now;
  }

  // Whether a moment happened before what `lane` of this agent does now.
  bool Knows(const Moment& moment, int lane) const {
    if (moment.agent == agent_) {
      return moment.lane == static_cast<uint32_t>(lane) || moment.tick < tick();
    }
    if (others_ != nullptr && others_->IsOther(moment.agent)) {
      return others_->Knows(moment.agent, waited_);
    }
    return TickOf(moment.agent) >= moment.tick;
  }

  // Adds everything that another clock knows. The clock's own component stays the same.
  void Join(const VectorClock& other) {
    waited_ = waited_ || other.waited_;
    if (other.first_ == first_) {
      for (size_t i = 0; i < near_.size(); ++i) {
        if (first_ + i != agent_) near_[i] = std::max(near_[i], other.near_[i]);
      }
    } else {
      for (size_t i = 0; i < other.near_.size(); ++i) {
        Learn(other.first_ + static_cast<uint32_t>(i), other.near_[i]);
      }
    }
    for (const auto& [agent, tick] : other.far_) Learn(agent, tick);
  }

 private:
  uint32_t TickOf(uint32_t agent) const {
    if (agent - first_ < near_.size()) return near_[agent - first_];
    for (const auto& [known, tick] : far_) {
      if (known == agent) return tick;
    }
    return 0;
  }

  void Learn(uint32_t agent, uint32_t tick) {
    if (agent == agent_ || tick == 0) return;
    if (agent - first_ < near_.size()) {
      near_[agent - first_] = std::max(near_[agent - first_], tick);
      return;
    }
    for (auto& [known, known_tick] : far_) {
      if (known == agent) {
        known_tick = std::max(known_tick, tick);
        return;
      }
    }
    far_.emplace_back(agent, tick);
  }

  uint32_t agent_ = 0;
  uint32_t first_ = 0;
  std::vector<uint32_t> near_;                      // of the own block
  std::vector<std::pair<uint32_t, uint32_t>> far_;  // of other blocks of the launch, usually few
  const OtherOperations* others_ = nullptr;
  bool waited_ = false;
};

}  // namespace dragoman::ptx
