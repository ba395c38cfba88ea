// Controls when steps of a HostStepDevice begin: all at once, or as many as a test allows.
//
// Thread-safe.
#pragma once

#include <cstdint>

#include "engine/base/mutex.h"

namespace dragoman::testing {

class StepGate {
 public:
  // Allows this many more steps.
  void Allow(int64_t steps) {
    engine::MutexLock lock(&mu_);
    allowed_ += steps;
    changed_.NotifyAll();
  }

  // Allows all steps. REQUIRES: called before the gate's device is destroyed.
  void Open() {
    engine::MutexLock lock(&mu_);
    open_ = true;
    changed_.NotifyAll();
  }

  // Called by the device. Waits until the next step may begin.
  void Pass() {
    engine::MutexLock lock(&mu_);
    while (!open_ && allowed_ == 0) changed_.Wait(&mu_);
    if (allowed_ > 0) --allowed_;
  }

 private:
  engine::Mutex mu_;
  engine::CondVar changed_;
  int64_t allowed_ ABSL_GUARDED_BY(mu_) = 0;
  bool open_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::testing
