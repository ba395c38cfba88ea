// The launches of a step (kernels/search/batch_step_cuda.h), run on the host.
#pragma once

#include "tests/kernels/search/step_runner.h"

namespace dragoman::testing {

class EmulatedRunner : public StepRunner {
 public:
  void Format(const kernels::BatchTables& tables) override;
  void Before(const kernels::BatchTables& tables, const kernels::StepMailbox* mailboxes) override;
  void After(const kernels::BatchTables& tables, const kernels::StepMailbox* mailboxes) override;
};

}  // namespace dragoman::testing
