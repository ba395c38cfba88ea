// Adds up what operations take, by their names.
//
// Belongs to the thread that runs them. Times are the clock's.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "engine/base/clock.h"
#include "kernels/base/op_probe.h"

namespace dragoman::engine {

class OpTimes final : public kernels::OpProbe {
 public:
  // `clock` is borrowed.
  explicit OpTimes(const Clock* clock) : clock_(clock) {}

  void Before(const char* name) override;
  void After() override;

  // Forgets what has been added up. REQUIRES: nothing is running.
  void Clear();

  // The time of all operations of this name, less what ran within them under another name or the
  // same.
  Nanos Of(std::string_view name) const;
  // The time of all operations that ran within nothing else: the sum of Of over all names.
  Nanos Total() const { return total_; }

 private:
  struct Running {
    const char* name = "";
    Nanos begin = 0;
    Nanos within = 0;  // of what ran within it
  };

  const Clock* const clock_;
  std::vector<Running> running_;
  std::map<std::string_view, Nanos> sums_;
  Nanos total_ = 0;
};

}  // namespace dragoman::engine
