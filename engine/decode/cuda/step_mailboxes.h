// The mailboxes of a device's steps in memory that host and device see.
//
// Owned by the decode thread. See kernels/search/step_mailbox.h for which side has a mailbox when.
#pragma once

#include <array>

#include "absl/status/status.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/search/batch_step_cuda.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/step_mailbox.h"

namespace dragoman {

class StepMailboxes {
 public:
  absl::Status Allocate(int device, const BatchLimits& limits);

  const StepMailbox& host(int index) const { return host_[static_cast<size_t>(index)]; }
  const cuda::StepMailboxes& device() const { return device_; }

 private:
  std::array<cuda::PinnedBuffer, kStepMailboxes> memory_;
  std::array<StepMailbox, kStepMailboxes> host_;
  cuda::StepMailboxes device_;
};

}  // namespace dragoman
