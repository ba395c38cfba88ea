// Fails a test for the PTX device's findings during the test, and prints a summary at the end.
#include <gtest/gtest.h>

#include <cstdio>
#include <mutex>

#include "tests/gpu/ptx/calls.h"
#include "tests/gpu/ptx/device.h"

namespace dragoman::ptx {
namespace {

class FindingsListener : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& /*info*/) override {
    Device& device = Device::Get();
    const std::lock_guard lock(device.mutex());
    for (const Finding& finding : device.TakeFindings()) {
      ADD_FAILURE() << "PTX device: " << finding.Text();
    }
  }

  void OnTestProgramEnd(const ::testing::UnitTest& /*test*/) override {
    std::printf("PTX device: %s\n", Calls::Get().Text().c_str());
    Device& device = Device::Get();
    const std::lock_guard lock(device.mutex());
    std::printf("%s\n", device.Summary().c_str());
    if (device.planted() > 0) std::printf("PTX device: planted %d\n", device.planted());
  }
};

[[maybe_unused]] const bool registered = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new FindingsListener);
  return true;
}();

}  // namespace
}  // namespace dragoman::ptx
