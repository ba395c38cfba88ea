// A GPU whose arithmetic costs nothing, to measure what the host does around it: the production
// loop, queues and text on an encoder that computes nothing and a StepDevice that only keeps count
// of its slots. Every segment ends after as many steps as its source has tokens, with one row in
// the first and its whole beam in the others, and gives one hypothesis of made-up tokens. What
// exceeds the rows of a step pauses, the youngest first.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/decode/backend.h"

namespace dragoman::bench {

// The processor time, in nanoseconds, of the threads of the workers of one backend. The simulation
// itself is in neither of the first two.
struct NullDeviceTotals {
  std::atomic<int64_t> decode{0};
  std::atomic<int64_t> encode{0};
  std::atomic<int64_t> simulation{0};
  std::atomic<int64_t> steps{0};
  std::atomic<int64_t> rows{0};  // of all steps together
};

struct NullDeviceOptions {
  int64_t step_nanos = 0;              // that a step takes at least, asleep; 0: none
  NullDeviceTotals* totals = nullptr;  // borrowed
};

std::shared_ptr<const engine::Backend> CreateNullBackend(const NullDeviceOptions& options);

// Processor time of the calling thread so far.
int64_t ThreadCpuNanos();

}  // namespace dragoman::bench
