// The order in which flows take turns: self-clocked fair queueing (Golestani 1994).
//
// A flow is the queue of one client. Its first element is due at the virtual time at which it
// became the first, plus its cost divided by the flow's weight. The least due time is next and
// becomes the virtual time. So nonempty flows share the served cost by their weights. An element of
// a new flow, of cost c and weight w, waits for about c * w' / w of each other flow of weight w'.
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
  // A flow's place in the order. A queue's own flows derive from it. Times are cost / weight.
  struct Flow {
    double start = 0;     // when its first element became the first
    double due = 0;       // of its first element
    uint64_t number = 0;  // breaks ties of `due`: the least is first
  };

  // An empty flow got its first element. Enter must follow.
  void Begin(Flow* flow) {
    if (order_.empty()) now_ = 0;  // keeps the times exact
    flow->start = now_;
  }

  // Puts the flow into the order. `cost` is its first element's, divided by the flow's weight.
  void Enter(Flow* flow, double cost) {
    flow->due = flow->start + cost;
    flow->number = ++last_number_;
    order_.emplace(flow->due, flow->number, flow);
  }

  // Takes the flow out of the order. REQUIRES: it is there.
  void Leave(Flow* flow) { order_.erase({flow->due, flow->number, flow}); }

  // The first element of a flow outside the order was taken. Enter must follow if it has another.
  void Took(Flow* flow) {
    now_ = std::max(now_, flow->due);
    flow->start = flow->due;
  }

  // Returns the flow whose turn is next. REQUIRES: a flow is in the order.
  Flow* Next() const { return std::get<Flow*>(*order_.begin()); }

 private:
  std::set<std::tuple<double, uint64_t, Flow*>> order_;  // of each flow: due, number
  double now_ = 0;                                       // the virtual time
  uint64_t last_number_ = 0;
};

}  // namespace dragoman::engine
