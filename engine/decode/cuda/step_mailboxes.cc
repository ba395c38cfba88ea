#include "engine/decode/cuda/step_mailboxes.h"

#include <new>

#include "engine/decode/cuda/cuda_status.h"

namespace dragoman::engine {

absl::Status StepMailboxes::Allocate(int device, const kernels::BatchLimits& limits) {
  for (size_t i = 0; i < memory_.size(); ++i) {
    const int64_t bytes = CarveMailbox(limits, nullptr, &host_[i]);
    const cuda::Error error = memory_[i].Allocate(bytes);
    if (error != cuda::Error::kNone) {
      return CudaMemoryStatus(device, "pinned memory of the steps' mailboxes", bytes, error);
    }
    CarveMailbox(limits, memory_[i].host(), &host_[i]);
    CarveMailbox(limits, memory_[i].device(), &device_.mailbox[i]);
    new (host_[i].command) kernels::StepCommand();
    new (host_[i].output) kernels::StepOutput();
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
