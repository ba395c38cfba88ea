// Looks at a command as the step does that is to obey it: does the host give away what is free, and
// only that?
//
// Called by the device's thread, with the tables as the step before has left them.
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

  // INTERNAL says what is wrong: a slot, lane, rules word or cross page that is not free; a bucket
  // or a store of rows that is too small; words beyond the mailbox's.
  absl::Status Check(const kernels::BatchTables& tables, const kernels::StepMailbox& mailbox,
                     const engine::StepDevice::Launch& launch);

 private:
  // The resources that a slot's segment was given.
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
