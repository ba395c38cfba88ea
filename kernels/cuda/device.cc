#include "kernels/cuda/device.h"

#include <cuda_runtime_api.h>

#include "kernels/cuda/checked.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {
namespace {

// Returns the major version of the oldest NVIDIA driver for a version of CUDA, 0 for an unknown
// version: "CUDA Toolkit and Minimum Required Driver Version for CUDA Minor Version Compatibility"
// in NVIDIA's CUDA release notes. README.md and docker/ repeat the numbers;
// tests/deploy/driver_versions_test.py compares them.
constexpr int LeastDriverOf(int cuda_major) {
  switch (cuda_major) {
    case 12:
      return 525;
    case 13:
      return 580;
    default:
      return 0;
  }
}

std::string VersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string WhyNone(cudaError_t status) {
  if (status == cudaSuccess || status == cudaErrorNoDevice) return "no CUDA device";
  // The runtime has one error code for both a missing driver and one that is too old.
  const int driver = DriverVersion();
  const std::string needed = "driver " + std::to_string(LeastDriver()) + " or newer";
  if (driver == 0) return "no CUDA driver: this build needs " + needed;
  if (status == cudaErrorInsufficientDriver) {
    return "the CUDA driver is too old: it knows CUDA " + VersionText(driver) + ", this build is " +
           VersionText(RuntimeVersion()) + ", which needs " + needed;
  }
  return cudaGetErrorString(status);
}

}  // namespace

int DeviceCount(std::string* why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (Checked(status) == Error::kNone && count > 0) return count;
  if (why != nullptr) *why = WhyNone(status);
  return 0;
}

Error Describe(int index, DeviceInfo* info) {
  const int before = CurrentDevice();
  cudaDeviceProp properties{};
  Error error = Checked(cudaGetDeviceProperties(&properties, index));
  if (error != Error::kNone) return error;
  error = SetDevice(index);
  if (error != Error::kNone) return error;
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  error = Checked(cudaMemGetInfo(&free_bytes, &total_bytes));
  if (before >= 0 && before != index) {
    const Error back = SetDevice(before);
    if (error == Error::kNone) error = back;
  }
  if (error != Error::kNone) return error;
  int mps = 0;
  // A driver that does not know the attribute has no MPS to report.
  static_cast<void>(Checked(cudaDeviceGetAttribute(&mps, cudaDevAttrMpsEnabled, index)));
  *info = {properties.name,
           properties.major,
           properties.minor,
           properties.multiProcessorCount,
           static_cast<int64_t>(total_bytes),
           static_cast<int64_t>(free_bytes),
           mps != 0};
  return Error::kNone;
}

Error FreeMemory(int64_t* bytes) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  const Error error = Checked(cudaMemGetInfo(&free_bytes, &total_bytes));
  if (error == Error::kNone) *bytes = static_cast<int64_t>(free_bytes);
  return error;
}

Error SetDevice(int index) { return Checked(cudaSetDevice(index)); }

int CurrentDevice() {
  int index = -1;
  return Checked(cudaGetDevice(&index)) == Error::kNone ? index : -1;
}

bool LaunchesEarly() {
  // A capture of early launches gives a graph an edge that the driver must know.
  constexpr int kEdgesSince = 12'030;
  static const bool known = DriverVersion() >= kEdgesSince;
  int major = 0;
  return known && EarlyLaunches::allowed() &&
         Checked(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                                        CurrentDevice())) == Error::kNone &&
         major >= 9;
}

int DriverVersion() {
  int version = 0;
  return Checked(cudaDriverGetVersion(&version)) == Error::kNone ? version : 0;
}

int RuntimeVersion() {
  int version = 0;
  return Checked(cudaRuntimeGetVersion(&version)) == Error::kNone ? version : 0;
}

int LeastDriver() { return LeastDriverOf(CUDART_VERSION / 1000); }

const char* CompiledArchitectures() { return DRAGOMAN_CUDA_ARCHITECTURES; }

}  // namespace dragoman::kernels::cuda
