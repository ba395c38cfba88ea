// Where the variants are tested: what has no CPU side here runs on a device and emulated.
#pragma once

#include <vector>

#include "tests/gpu/variants/emulated_variants.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::kernels {

// The ones of f32, for what knows no compute type.
inline std::vector<OpDevice> FloatDevices() {
  std::vector<OpDevice> devices = LaunchDevices();
  std::erase_if(devices, [](const OpDevice& d) { return d.type != ComputeType::kFloat32; });
  return devices;
}

}  // namespace dragoman::kernels
