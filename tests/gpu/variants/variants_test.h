// The devices on which variants are tested. Kernels without a CPU version run on a GPU and
// emulated.
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
