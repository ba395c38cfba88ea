// The mailboxes of a device's steps in memory that host and device see, and how a mailbox's arrays lie in
// one block of it.
//
// Owned by the decode thread. See kernels/search/step_mailbox.h for which side has a mailbox when.
#pragma once

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/search/batch_step_cuda.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/step_mailbox.h"

namespace dragoman::engine {

// Pure. Sets the pointers and capacities of `mailbox` (nullptr memory: the capacities) and returns the
// bytes, a multiple of 256. memory: aligned to 256 bytes.
//
// A command has room for all that can be admitted at once: words for every slot and for all rules
// that the tables hold. An output has room for the largest result of one slot, and beside it 128
// words for every row, which is what a step in which every slot ends with 30 tokens needs; what
// does not fit waits for a later step.
int64_t CarveMailbox(const kernels::BatchLimits& limits, void* memory,
                     kernels::StepMailbox* mailbox);

class StepMailboxes {
 public:
  absl::Status Allocate(int device, const kernels::BatchLimits& limits);

  const kernels::StepMailbox& host(int index) const { return host_[static_cast<size_t>(index)]; }
  const kernels::cuda::StepMailboxes& device() const { return device_; }

 private:
  std::array<kernels::cuda::PinnedBuffer, kernels::kStepMailboxes> memory_;
  std::array<kernels::StepMailbox, kernels::kStepMailboxes> host_;
  kernels::cuda::StepMailboxes device_;
};

}  // namespace dragoman::engine
