// The searches of the oracle on a GPU: the production's kernels decide, the case's model is their
// model (scripted_cuda_device.h), DeviceBatch is their host.
#pragma once

#include "tests/oracle/production_backend.h"

namespace dragoman::oracle {

class DeviceBackend : public ProductionBackend {
 protected:
  // UNIMPLEMENTED: the case does not fit a device, and why.
  absl::StatusOr<SearchOutcome> Search(const CaseSearch& search) override;
};

}  // namespace dragoman::oracle
