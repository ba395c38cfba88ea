// Measures operations and adds up their times by name, in nanoseconds of the given clock.
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
  // `clock` is borrowed as long as this object exists.
  explicit OpTimes(const Clock* clock) : clock_(clock) {}

  void Before(const char* name) override;
  void After() override;

  // Sets all times to 0. REQUIRES: no operation is running.
  void Clear();

  // Returns the time of all operations of this name, without the time of operations that ran inside
  // them.
  Nanos Of(std::string_view name) const;
  // Returns the time of all operations, which is the sum of Of(name) over all names.
  Nanos Total() const { return total_; }

 private:
  struct Running {
    const char* name = "";
    Nanos begin = 0;
    Nanos within = 0;  // the time of the operations that ran inside this one
  };

  const Clock* const clock_;
  std::vector<Running> running_;
  std::map<std::string_view, Nanos> sums_;
  Nanos total_ = 0;
};

}  // namespace dragoman::engine
