// Runs the oracle's searches on a GPU. The production's kernels decide, the case's logits replace
// the model (scripted_cuda_device.h), and DeviceBatch drives the steps.
#pragma once

#include "tests/oracle/production_backend.h"

namespace dragoman::oracle {

class DeviceBackend : public ProductionBackend {
 protected:
  // Returns UNIMPLEMENTED, with the reason, if the case does not fit a device.
  absl::StatusOr<SearchOutcome> Search(const CaseSearch& search) override;
};

}  // namespace dragoman::oracle
