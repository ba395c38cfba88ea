#include "engine/profile/op_times.h"

namespace dragoman::engine {

// Before reads the clock at its end and After reads it at its beginning, so that the work of these
// two functions is not measured.
void OpTimes::Before(const char* name) {
  Running& op = running_.emplace_back();
  op.name = name;
  op.begin = clock_->Now();
}

void OpTimes::After() {
  const Nanos now = clock_->Now();
  const Running op = running_.back();
  running_.pop_back();
  const Nanos took = now - op.begin;
  (running_.empty() ? total_ : running_.back().within) += took;
  sums_[op.name] += took - op.within;
}

void OpTimes::Clear() {
  sums_.clear();
  total_ = 0;
}

Nanos OpTimes::Of(std::string_view name) const {
  const auto found = sums_.find(name);
  return found == sums_.end() ? 0 : found->second;
}

}  // namespace dragoman::engine
