// The CUDA devices of this machine. Includes no CUDA header.
//
// Thread-safe. A device has an index, 0 .. DeviceCount - 1. Each thread has its own current device,
// which it sets before it launches or allocates. Sizes are bytes.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

struct DeviceInfo {
  std::string name;
  int major = 0;  // compute capability: 9.0 is an H100 or H200
  int minor = 0;
  int multiprocessors = 0;
  int64_t total_bytes = 0;
  int64_t free_bytes = 0;
  bool mps = false;  // whether processes share the device through MPS

  // Reports whether the device is a MIG slice of a card. multiprocessors and the bytes are then
  // those of the slice. A process sees only one slice.
  bool IsMigPart() const { return name.find(" MIG ") != std::string::npos; }
};

// Returns the number of devices. If there are none, `why` (may be nullptr) gets the reason for the
// log: no driver, a driver that is too old for this build, or no device.
int DeviceCount(std::string* why);

// Describes device `index` in *info, or leaves it unchanged on an error. Starts a context on the
// device, which takes time and some of the device's memory: call it only for devices that will be
// used.
Error Describe(int index, DeviceInfo* info);

// Gets the free bytes of the current device's memory.
Error FreeMemory(int64_t* bytes);

Error SetDevice(int index);

// Returns the current device, -1 if there is none.
int CurrentDevice();

// Reports whether a kernel on the current device may begin while the one before it ends. This is
// true on Hopper and later (9.0) with a driver that knows CUDA 12.3, unless an EarlyLaunches object
// (launch.h) forbids it for this thread.
bool LaunchesEarly();

// DriverVersion returns the newest CUDA version that the driver supports, or 0 without a driver.
// RuntimeVersion returns the CUDA version of this build. 13000 means 13.0.
int DriverVersion();
int RuntimeVersion();

// Returns the major version of the oldest NVIDIA driver that can run this build.
int LeastDriver();

// Returns the architectures of this build's kernels, in the form of DRAGOMAN_CUDA_ARCHS: "80, 120,
// 120-virtual". Virtual architectures are PTX, which a driver compiles for every later card.
const char* CompiledArchitectures();

// Whether a device can run this build's kernels depends on the architectures compiled into it
// (DRAGOMAN_CUDA_ARCHS), not on a property of the device alone: a build for one architecture has no
// code for most cards, a build with PTX has code for later cards.
//
// FindCode returns kNone if the device can run this build's kernels, otherwise the runtime's error.
// It starts a context on the device. If the build has only PTX for the device, the driver compiles
// a small kernel.
Error FindCode(int index);

// Reports whether an error of FindCode means that this build has no code for the device. Other
// errors concern the device or the driver, for example a driver that is older than the PTX.
bool MeansNoCode(Error error);

}  // namespace dragoman::kernels::cuda
