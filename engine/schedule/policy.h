// Whom to admit and in which order to run the slots: a pure object without state of its own.
//
// Whatever a policy decides changes when a segment is translated, never its translation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

struct BatchState {
  int live_slots = 0;
  int width = 0;  // sum of the live slots' beams
  int max_rows = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;

  // Whether the next waiting segment, with this beam, may enter now (slots and pages permitting).
  virtual bool Admits(const BatchState& state, int beam) const = 0;

  // Live slots in the order in which the plan is to take them. `by_age`: oldest first.
  virtual void Order(std::span<const int32_t> by_age, std::vector<int32_t>& order) const = 0;
};

// The default: top up whenever the rows for a segment are free, run every live slot.
class ContinuousTopUp : public Policy {
 public:
  bool Admits(const BatchState& state, int beam) const override {
    return state.width + beam <= state.max_rows;
  }
  void Order(std::span<const int32_t> by_age, std::vector<int32_t>& order) const override {
    order.assign(by_age.begin(), by_age.end());
  }
};

}  // namespace dragoman
