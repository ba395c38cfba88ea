// Adds up the times of operations by name, in nanoseconds of the given clock.
//
// Belongs to the thread that runs the operations.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "kernels/base/op_probe.h"

namespace dragoman::engine {

class OpTimes final : public kernels::OpProbe {
 public:
  // Borrows `clock` for the life of this object.
  explicit OpTimes(const Clock* clock) : clock_(clock) {}

  // Reads the clock last here and first in After, so bookkeeping does not count.
  void Before(const char* name) override {
    Running& op = running_.emplace_back();
    op.name = name;
    op.begin = clock_->Now();
  }
  void After() override {
    const Nanos now = clock_->Now();
    const Running op = running_.back();
    running_.pop_back();
    const Nanos took = now - op.begin;
    (running_.empty() ? total_ : running_.back().within) += took;
    sums_[op.name] += took - op.within;
  }

  // Sets all sums to zero. REQUIRES: no operation is running.
  void Clear() {
    sums_.clear();
    total_ = 0;
  }

  // Returns the time of all operations of this name, without the operations that ran within them.
  Nanos Of(std::string_view name) const {
    const auto found = sums_.find(name);
    return found == sums_.end() ? 0 : found->second;
  }
  // Returns the time of all operations that ran within no other: the sum of Of over all names.
  Nanos Total() const { return total_; }

 private:
  struct Running {
    const char* name = "";
    Nanos begin = 0;
    Nanos within = 0;  // the time of the operations that ran inside it
  };

  const Clock* const clock_;
  std::vector<Running> running_;
  std::map<std::string_view, Nanos> sums_;
  Nanos total_ = 0;
};

}  // namespace dragoman::engine
