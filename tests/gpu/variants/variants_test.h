// The devices on which variants of kernels are tested. A kernel without a CPU version is tested
// twice: on a GPU, and emulated on the CPU.
#pragma once

#include <vector>

#include "tests/gpu/variants/emulated_variants.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::kernels {

// Returns the devices with f32, for functions that do not depend on a compute type.
inline std::vector<OpDevice> FloatDevices() {
  std::vector<OpDevice> devices = LaunchDevices();
  std::erase_if(devices, [](const OpDevice& d) { return d.type != ComputeType::kFloat32; });
  return devices;
}

}  // namespace dragoman::kernels
