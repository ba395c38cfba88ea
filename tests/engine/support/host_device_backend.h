// The CPU's model in the loop of a device: DeviceBatch on a HostStepDevice.
#pragma once

#include <memory>

#include "engine/decode/backend.h"
#include "engine/decode/device_batch.h"
#include "tests/engine/support/host_step_device.h"

namespace dragoman::testing {

// Returns the backend's device. Borrows `memory`.
std::unique_ptr<HostStepDevice> CreateHostDevice(const engine::StepModel& model,
                                                 const engine::BatchConfig& config, int threads,
                                                 engine::KvMemory* memory,
                                                 const HostDeviceOptions& options);

std::shared_ptr<const engine::Backend> CreateHostDeviceBackend(
    std::shared_ptr<const engine::StepModel> model, const HostDeviceOptions& options);

}  // namespace dragoman::testing
