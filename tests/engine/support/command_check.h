// Checks a command before its step: the host may assign only free resources, and each only once.
//
// Called by the device's thread, with the tables as the previous step left them.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "engine/decode/step_device.h"
#include "kernels/search/batch_tables.h"
#include "kernels/search/step_mailbox.h"

namespace dragoman::testing {

class CommandCheck {
 public:
  explicit CommandCheck(const kernels::BatchLimits& limits);

  // Returns INTERNAL if a slot, lane, rules word or cross page is not free, a bucket or a
  // materialized store is too small, or words exceed the mailbox. The message says which.
  absl::Status Check(const kernels::BatchTables& tables, const kernels::StepMailbox& mailbox,
                     const engine::StepDevice::Launch& launch);

 private:
  // The resources of a slot's segment.
  struct Given {
    std::vector<int32_t> lanes;
    std::vector<int32_t> cross_pages;
    int32_t rules_begin = 0;
    int32_t rules_words = 0;
    int32_t beam = 0;
  };

  const kernels::BatchLimits limits_;
  std::vector<Given> given_;  // by slot
};

}  // namespace dragoman::testing
