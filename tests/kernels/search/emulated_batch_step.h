// The launches of a step (kernels/search/batch_step_cuda.h), run on the host.
#pragma once

#include "tests/kernels/search/step_runner.h"

namespace dragoman::testing {

class EmulatedRunner : public StepRunner {
 public:
  void Format(const BatchTables& tables) override;
  void Before(const BatchTables& tables, const StepMailbox* mailboxes) override;
  void After(const BatchTables& tables, const StepMailbox* mailboxes) override;
};

}  // namespace dragoman::testing
