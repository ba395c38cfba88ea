// Where the variants are tested: what has no CPU side here runs on a device and emulated.
#pragma once

#include <vector>

#include "tests/gpu/variants/emulated_variants.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman {

inline std::vector<OpDevice> LaunchDevices() {
  std::vector<OpDevice> devices = OpDevicesAndEmulation();
  std::erase_if(devices, [](const OpDevice& d) { return !d.cuda && !d.emulated; });
  return devices;
}

// Of those, the ones of f32, for what knows no compute type.
inline std::vector<OpDevice> FloatDevices() {
  std::vector<OpDevice> devices = LaunchDevices();
  std::erase_if(devices, [](const OpDevice& d) { return d.type != ComputeType::kFloat32; });
  return devices;
}

// Under ThreadSanitizer, which does not know the emulation, a build without CUDA has none of them.
#define DRAGOMAN_FOR_LAUNCH_DEVICES(suite, devices)     \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite); \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, ::testing::ValuesIn(devices), ::dragoman::OpDeviceName)

}  // namespace dragoman
