// The device of an operation's test and its memory: one test body for CPU and CUDA.
//
// A suite over OpDevices() runs on the CPU in f32, with each instruction set, by one thread and by
// several. If the build has CUDA, it also runs on the device in each compute type; without a GPU
// these cases are reported as skipped. Inputs are rounded to the compute type, so that the CPU gets
// the same numbers (Rounded).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/base/compute_type.h"
#include "kernels/cpu/isa.h"
#include "kernels/cuda/launch.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {

struct OpDevice {
  bool cuda = false;
  ComputeType type = ComputeType::kFloat32;
  bool emulated = false;               // the CUDA kernels, run on the host
  cpu::Isa isa = cpu::Isa::kBaseline;  // of the CPU
  int threads = 1;                     // of the CPU

  bool launches() const { return cuda || emulated; }
  // The relative error of one rounding to the compute type.
  double unit() const {
    switch (type) {
      case ComputeType::kFloat16:
        return 1.0 / 2048;
      case ComputeType::kBFloat16:
        return 1.0 / 256;
      case ComputeType::kFloat32:
      case ComputeType::kInt8:  // not a device's type
        break;
    }
    return 1.0 / (1 << 24);
  }
};

// Returns the same device with one thread. A row's result must not depend on the number of threads.
inline OpDevice Alone(OpDevice device) {
  device.threads = 1;
  return device;
}

// Returns widths for tests of norms: widths that fill the steps of a warp, that fill the last step
// in part, and that take four warps. Adds other widths for the CPU, which takes any.
inline std::vector<int> NormWidths(const OpDevice& device) {
  std::vector<int> widths = {8, 64, 200, 256, 264, 512, 768, 1000, 1024, 1032, 2048, 3000, 4096};
  if (!device.launches()) widths.insert(widths.end(), {1, 3, 16, 17, 31, 100});
  return widths;
}

std::vector<OpDevice> OpDevices();
// Returns OpDevices() and the emulation in each compute type (tests/kernels/cuda_emulation). The
// emulation runs on x86-64 only, and not under ThreadSanitizer, which does not support its fibers.
std::vector<OpDevice> OpDevicesAndEmulation();
std::string OpDeviceName(const ::testing::TestParamInfo<OpDevice>& info);

// Returns why CUDA cases cannot run here, or "".
std::string WhyNoCuda();

// Returns the values rounded to the compute type.
std::vector<float> Rounded(const std::vector<float>& values, ComputeType type);

// Returns the devices that launch kernels, for operations that the CPU does not have.
std::vector<OpDevice> LaunchDevices();

// Skips the CUDA cases if there is no device. Uses the CPU's instruction set.
class OnOpDevice : public ::testing::TestWithParam<OpDevice> {
 protected:
  void SetUp() override {
    if (!GetParam().launches()) with_.emplace(GetParam().isa);
    if (!GetParam().cuda) return;
    const std::string why = WhyNoCuda();
    if (!why.empty()) GTEST_SKIP() << "CUDA cases skipped: " << why;
  }

 private:
  std::optional<WithIsa> with_;
};

#define DRAGOMAN_FOR_EVERY_DEVICE(suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, ::testing::ValuesIn(::dragoman::kernels::OpDevices()), \
                           ::dragoman::kernels::OpDeviceName)

// Instantiates a suite for OpDevicesAndEmulation().
#define DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(suite)                                        \
  INSTANTIATE_TEST_SUITE_P(Devices, suite,                                                    \
                           ::testing::ValuesIn(::dragoman::kernels::OpDevicesAndEmulation()), \
                           ::dragoman::kernels::OpDeviceName)

// Instantiates a suite for LaunchDevices() or some of them. A build without CUDA has none under
// ThreadSanitizer, which does not support the emulation.
#define DRAGOMAN_FOR_LAUNCH_DEVICES(suite, devices)                      \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite);                  \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, ::testing::ValuesIn(devices), \
                           ::dragoman::kernels::OpDeviceName)

// The launcher cuda::op for a device, or its emulation. REQUIRES: the device is one of the two.
#ifdef DRAGOMAN_HAVE_CUDA
#define DRAGOMAN_LAUNCHER(device, op) \
  ((device).emulated ? &::dragoman::kernels::cuda::Emulated##op : &::dragoman::kernels::cuda::op)
#else
#define DRAGOMAN_LAUNCHER(device, op) (&::dragoman::kernels::cuda::Emulated##op)
#endif

// Owns bytes in the memory of the device, or of the host for the CPU. A device error fails the test
// and leaves the contents undefined.
class OpBytes {
 public:
  OpBytes(const OpDevice& device, size_t bytes);
  ~OpBytes();
  OpBytes(const OpBytes&) = delete;
  OpBytes& operator=(const OpBytes&) = delete;

  void* data() const { return data_; }
  size_t size() const { return bytes_; }
  // On return the bytes are visible to every stream.
  void Upload(const void* from, size_t bytes);
  // Waits for all launches.
  void Download(void* to, size_t bytes) const;

 private:
  const bool cuda_;
  const size_t bytes_;
  void* data_ = nullptr;
};

// Plain values (ids, tables, structs of device pointers).
template <class T>
class OpArray {
 public:
  OpArray(const OpDevice& device, const std::vector<T>& values)
      : bytes_(device, values.size() * sizeof(T)), size_(values.size()) {
    bytes_.Upload(values.data(), values.size() * sizeof(T));
  }
  T* data() const { return static_cast<T*>(bytes_.data()); }
  size_t size() const { return size_; }
  std::vector<T> Download() const {
    std::vector<T> values(size_);
    bytes_.Download(values.data(), size_ * sizeof(T));
    return values;
  }

 private:
  OpBytes bytes_;
  const size_t size_;
};

// Numbers of the compute type, passed and returned as f32.
class OpNumbers {
 public:
  OpNumbers(const OpDevice& device, const std::vector<float>& values);
  void* data() const { return bytes_.data(); }
  size_t size() const { return size_; }
  std::vector<float> Download() const;
  // Returns the bits, to compare two results of one device.
  std::vector<uint8_t> Bits() const;

 private:
  const ComputeType type_;
  const size_t size_;
  OpBytes bytes_;
};

// The tests' stream of the device; nullptr is the default stream.
inline constexpr cuda::Stream kTestStream = nullptr;

#define EXPECT_LAUNCHED(launch)                                                                 \
  do {                                                                                          \
    const ::dragoman::kernels::cuda::Error launched = (launch);                                 \
    EXPECT_EQ(launched, ::dragoman::kernels::cuda::Error::kNone) << static_cast<int>(launched); \
  } while (false)

}  // namespace dragoman::kernels
