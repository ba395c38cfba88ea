// The ports of a device's steps in memory that host and device see.
//
// Owned by the decode thread. See kernels/search/step_port.h for who has a port when.
#pragma once

#include <array>

#include "absl/status/status.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/search/batch_step_cuda.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/step_port.h"

namespace dragoman {

class StepPorts {
 public:
  absl::Status Allocate(int device, const BatchLimits& limits);

  const StepPort& host(int index) const { return host_[static_cast<size_t>(index)]; }
  const cuda::StepPorts& device() const { return device_; }

 private:
  std::array<cuda::PinnedBuffer, kStepPorts> memory_;
  std::array<StepPort, kStepPorts> host_;
  cuda::StepPorts device_;
};

}  // namespace dragoman
