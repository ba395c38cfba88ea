// Decides which client's queue is served next: self-clocked fair queueing (Golestani 1994).
//
// A flow is the queue of one client; its weight says how much service it gets. The due time of a
// flow is a virtual time: the one at which its first element became the first, plus the cost of
// this element divided by the flow's weight. The flow with the least due time is served next, and
// this due time becomes the virtual time. So nonempty flows divide the served cost in proportion to
// their weights. Suppose that a flow of weight w was empty and gets an element of cost c. Before
// this element, each other flow of weight w' is served elements of a total cost of about c * w' /
// w.
//
// Not thread-safe. Borrows a flow from Enter to Leave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

namespace dragoman::engine {

class FairTurns {
 public:
  // The place of a flow in the order. Queues derive their own flow type from it. Virtual times are
  // in units of cost / weight.
  struct Flow {
    double start = 0;     // the virtual time at which its first element became the first
    double due = 0;       // the virtual time at which its first element is due
    uint64_t number = 0;  // of flows with equal due times, the one with the least number is next
  };

  // Call this after an empty flow has got its first element. Enter must follow.
  void Begin(Flow* flow) {
    if (order_.empty()) now_ = 0;  // restarts the virtual time, so that it stays exact in a double
    flow->start = now_;
  }

  // Puts the flow into the order. `cost` is the cost of its first element divided by the flow's
  // weight.
  void Enter(Flow* flow, double cost) {
    flow->due = flow->start + cost;
    flow->number = ++last_number_;
    order_.emplace(flow->due, flow->number, flow);
  }

  // Takes the flow out of the order. REQUIRES: the flow is in the order.
  void Leave(Flow* flow) { order_.erase({flow->due, flow->number, flow}); }

  // Call this after Leave, when the flow's first element has been removed from its queue. If the
  // flow has another element, Enter must follow.
  void Took(Flow* flow) {
    now_ = std::max(now_, flow->due);
    flow->start = flow->due;
  }

  // Returns the flow whose turn is next. REQUIRES: a flow is in the order.
  Flow* Next() const { return std::get<Flow*>(*order_.begin()); }

 private:
  std::set<std::tuple<double, uint64_t, Flow*>> order_;  // due, number and flow
  double now_ = 0;                                       // the virtual time
  uint64_t last_number_ = 0;
};

}  // namespace dragoman::engine
