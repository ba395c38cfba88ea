// A GPU whose arithmetic costs nothing, to measure the host's work around it. It runs the
// production loop, queues and text code with an encoder that computes nothing and a StepDevice that
// only counts its slots. Every segment takes as many steps as its source has tokens, with one row
// in the first step and its whole beam in the others, and returns one hypothesis of invented
// tokens. If the rows of a step do not suffice, the youngest segments pause first.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/decode/backend.h"

namespace dragoman::bench {

// Processor time of a backend's workers, in ns. The first two exclude the simulation.
struct NullDeviceTotals {
  std::atomic<int64_t> decode{0};
  std::atomic<int64_t> encode{0};
  std::atomic<int64_t> simulation{0};
  std::atomic<int64_t> steps{0};
  std::atomic<int64_t> rows{0};  // of all steps
};

struct NullDeviceOptions {
  int64_t step_nanos = 0;              // minimum duration of a step, spent asleep; 0: none
  NullDeviceTotals* totals = nullptr;  // borrowed
};

std::shared_ptr<const engine::Backend> CreateNullBackend(const NullDeviceOptions& options);

// Returns the processor time of the calling thread so far.
int64_t ThreadCpuNanos();

}  // namespace dragoman::bench
