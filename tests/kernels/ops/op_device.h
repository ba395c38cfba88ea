// Where an operation's test runs, and the memory that goes with it: one body for CPU and CUDA.
//
// A suite over OpDevices() runs on the CPU in f32 and, where the build has CUDA, on the device in
// each compute type; without a GPU those cases are skipped aloud. Inputs are rounded to the compute
// type on the way, so that the CPU twin can be given the same numbers (Rounded).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels {

struct OpDevice {
  bool cuda = false;
  ComputeType type = ComputeType::kFloat32;
  bool emulated = false;  // the text of the CUDA kernels, run on the host

  // The relative error of one rounding to the compute type.
  double unit() const {
    switch (type) {
      case ComputeType::kFloat16:
        return 1.0 / 2048;
      case ComputeType::kBFloat16:
        return 1.0 / 256;
      case ComputeType::kFloat32:
      case ComputeType::kInt8:  // no device's
        break;
    }
    return 1.0 / (1 << 24);
  }
};

std::vector<OpDevice> OpDevices();
// And the emulation in each compute type (tests/kernels/cuda_emulation); not under ThreadSanitizer,
// which does not know its fibers.
std::vector<OpDevice> OpDevicesAndEmulation();
std::string OpDeviceName(const ::testing::TestParamInfo<OpDevice>& info);

// Why CUDA cases cannot run here; "" when they can.
std::string WhyNoCuda();

// The values as the compute type holds them.
std::vector<float> Rounded(const std::vector<float>& values, ComputeType type);

// The devices among them that launch kernels, for operations that the CPU does not have.
std::vector<OpDevice> LaunchDevices();

// Skips the CUDA cases aloud where there is no device.
class OnOpDevice : public ::testing::TestWithParam<OpDevice> {
 protected:
  void SetUp() override {
    if (!GetParam().cuda) return;
    const std::string why = WhyNoCuda();
    if (!why.empty()) GTEST_SKIP() << "CUDA cases skipped: " << why;
  }
};

#define DRAGOMAN_FOR_EVERY_DEVICE(suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, ::testing::ValuesIn(::dragoman::kernels::OpDevices()), \
                           ::dragoman::kernels::OpDeviceName)

// The same with the emulation.
#define DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(suite)                                        \
  INSTANTIATE_TEST_SUITE_P(Devices, suite,                                                    \
                           ::testing::ValuesIn(::dragoman::kernels::OpDevicesAndEmulation()), \
                           ::dragoman::kernels::OpDeviceName)

// Instantiates a suite for LaunchDevices(), or some of them. Under ThreadSanitizer, which does not
// know the emulation, a build without CUDA has none.
#define DRAGOMAN_FOR_LAUNCH_DEVICES(suite, devices)                      \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite);                  \
  INSTANTIATE_TEST_SUITE_P(Devices, suite, ::testing::ValuesIn(devices), \
                           ::dragoman::kernels::OpDeviceName)

// The launcher cuda::op for a device, or its emulation. REQUIRES: one of the two is meant.
#ifdef DRAGOMAN_HAVE_CUDA
#define DRAGOMAN_LAUNCHER(device, op) \
  ((device).emulated ? &::dragoman::kernels::cuda::Emulated##op : &::dragoman::kernels::cuda::op)
#else
#define DRAGOMAN_LAUNCHER(device, op) (&::dragoman::kernels::cuda::Emulated##op)
#endif

// Bytes in the memory of the device, or of the host for the CPU. Owns them. Failure of the device
// fails the test and leaves the contents undefined.
class OpBytes {
 public:
  OpBytes(const OpDevice& device, size_t bytes);
  ~OpBytes();
  OpBytes(const OpBytes&) = delete;
  OpBytes& operator=(const OpBytes&) = delete;

  void* data() const { return data_; }
  size_t size() const { return bytes_; }
  // They are there on return, for every stream.
  void Upload(const void* from, size_t bytes);
  // Waits for everything that was launched.
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

// Numbers of the compute type, given and taken as f32.
class OpNumbers {
 public:
  OpNumbers(const OpDevice& device, const std::vector<float>& values);
  void* data() const { return bytes_.data(); }
  size_t size() const { return size_; }
  std::vector<float> Download() const;
  // The bits, to compare two results of one device.
  std::vector<uint8_t> Bits() const;

 private:
  const ComputeType type_;
  const size_t size_;
  OpBytes bytes_;
};

// A stream of the device for tests; nullptr is the default one.
inline constexpr cuda::Stream kTestStream = nullptr;

#define EXPECT_LAUNCHED(launch)                                                                 \
  do {                                                                                          \
    const ::dragoman::kernels::cuda::Error launched = (launch);                                 \
    EXPECT_EQ(launched, ::dragoman::kernels::cuda::Error::kNone) << static_cast<int>(launched); \
  } while (false)

}  // namespace dragoman::kernels
