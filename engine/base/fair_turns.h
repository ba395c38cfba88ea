// The order in which flows take turns: self-clocked fair queueing (Golestani 1994).
//
// A flow is what one client has waiting, one thing after the other. Its first is due at the virtual
// time at which it became the first, plus its cost divided by the flow's weight; the least due is
// next, and its due time becomes the virtual time. So flows that have something waiting share what is
// spent by their weights, and what comes of a new flow waits for as much of each other flow as it
// costs itself, times the other's weight and divided by its own, however much the others have
// waiting.
//
// Not thread-safe. Flows are borrowed from Enter to Leave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

namespace dragoman::engine {

class FairTurns {
 public:
  // A flow's place; a queue's own flows derive from it. Times are costs of weight 1.
  struct Flow {
    double start = 0;     // when its first became the first
    double due = 0;       // of its first
    uint64_t number = 0;  // of flows that are due at the same time, the least is first
  };

  // A flow had nothing waiting and has now: its first has just become that. Enter follows.
  void Begin(Flow* flow) {
    if (order_.empty()) now_ = 0;  // so that it stays exact
    flow->start = now_;
  }

  // The first of the flow has this cost, divided by the flow's weight. REQUIRES: it has not entered.
  void Enter(Flow* flow, double cost) {
    flow->due = flow->start + cost;
    flow->number = ++last_number_;
    order_.emplace(flow->due, flow->number, flow);
  }

  // Takes the flow out of the order. REQUIRES: it has entered.
  void Leave(Flow* flow) { order_.erase({flow->due, flow->number, flow}); }

  // The first of a flow that has left the order has had its turn. If there is another, Enter follows.
  void Took(Flow* flow) {
    now_ = std::max(now_, flow->due);
    flow->start = flow->due;
  }

  // REQUIRES: a flow has entered.
  Flow* Next() const { return std::get<Flow*>(*order_.begin()); }

 private:
  std::set<std::tuple<double, uint64_t, Flow*>> order_;  // of each flow: due, number
  double now_ = 0;                                       // due time of what left last
  uint64_t last_number_ = 0;
};

}  // namespace dragoman::engine
