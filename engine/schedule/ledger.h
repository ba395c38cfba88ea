// Counts the segments of an engine: how many were accepted, wait, run, and have ended with each
// outcome. A segment waits until it enters a slot. Then it runs until its end is counted.
//
// Thread-safe. One lock guards all counts, so that in every snapshot
//   accepted == eos + length + constraints_unmet + no_output + cancelled + deadline + error
//               + waiting + running
#pragma once

#include "engine/api/engine.h"
#include "engine/base/mutex.h"

namespace dragoman::engine {

enum class Outcome { kEos, kLength, kConstraintsUnmet, kNoOutput, kCancelled, kDeadline, kError };

inline Outcome OutcomeOf(kernels::FinishReason reason) { return static_cast<Outcome>(reason); }

inline Outcome OutcomeOf(CancelCause cause) {
  return cause == CancelCause::kDeadline ? Outcome::kDeadline : Outcome::kCancelled;
}

class Ledger {
 public:
  void Accept(int64_t segments) {
    MutexLock lock(&mu_);
    counts_.accepted += segments;
    counts_.waiting += segments;
  }

  // A waiting segment entered a slot.
  void Start() {
    MutexLock lock(&mu_);
    --counts_.waiting;
    ++counts_.running;
  }

  // A decoded segment waits again, to be searched a second time.
  void Requeue(bool was_running) {
    MutexLock lock(&mu_);
    --(was_running ? counts_.running : counts_.waiting);
    ++counts_.waiting;
  }

  void End(bool was_running, Outcome outcome) {
    MutexLock lock(&mu_);
    --(was_running ? counts_.running : counts_.waiting);
    ++CountOf(outcome);
  }

  // Sets all counts to 0. REQUIRES: no segment waits or runs.
  void Reset() {
    MutexLock lock(&mu_);
    counts_ = {};
  }

  SegmentCounts Snapshot() const {
    MutexLock lock(&mu_);
    return counts_;
  }

 private:
  int64_t& CountOf(Outcome outcome) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    switch (outcome) {
      case Outcome::kEos:
        return counts_.eos;
      case Outcome::kLength:
        return counts_.length;
      case Outcome::kConstraintsUnmet:
        return counts_.constraints_unmet;
      case Outcome::kNoOutput:
        return counts_.no_output;
      case Outcome::kCancelled:
        return counts_.cancelled;
      case Outcome::kDeadline:
        return counts_.deadline;
      case Outcome::kError:
        break;
    }
    return counts_.error;
  }

  mutable Mutex mu_;
  SegmentCounts counts_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::engine
