// The mailboxes through which the host and the steps on a GPU exchange commands and outputs. They
// are in memory that both can access.
//
// Owned by the decode thread. kernels/search/step_mailbox.h says who may access them when.
#pragma once

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/search/batch_step_cuda.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/step_mailbox.h"

namespace dragoman::engine {

// Sets the capacities of `mailbox` and, unless `memory` is nullptr, its pointers into `memory`.
// Returns the number of bytes that the mailbox takes, a multiple of 256. REQUIRES: `memory` is
// aligned to 256 bytes.
//
// A command has room to admit a segment to every slot at once, with BatchLimits::rules_words for
// their rules. An output has room for the largest result of one slot and, in addition, 128 words
// for every row. That suffices if all slots end in the same step with 30 tokens each. A result for
// which there is no room is reported by a later step.
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
