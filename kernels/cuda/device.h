// The CUDA devices of this machine. Free of CUDA's headers.
//
// Thread-safe. A device is named by its index, 0 .. DeviceCount - 1. The current device is the
// calling thread's own: every thread that launches or allocates sets it first. Sizes are bytes.
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
  bool mps = false;  // contexts on it share it with other processes' through MPS

  // Whether the device is a part of a card that is divided (MIG): its multiprocessors and memory
  // are those above. A process sees only one such part.
  bool IsMigPart() const { return name.find(" MIG ") != std::string::npos; }
};

// The number of devices. If there are none, `why` (may be nullptr) gives the reason for the log: no
// driver, one that is too old for this build, no device.
int DeviceCount(std::string* why);

// `info` is left alone on an error. Looking at a device's free memory starts a context on it, which
// takes some of that memory and time: ask for those that are meant to be used.
Error Describe(int index, DeviceInfo* info);

// Free bytes of the current device's memory.
Error FreeMemory(int64_t* bytes);

Error SetDevice(int index);

// The current one; -1 where there is none.
int CurrentDevice();

// Whether a kernel on the current device may begin while the one before it ends: on Hopper and later
// (9.0) with a driver that knows CUDA 12.3, unless this thread forbids it (early_launch.h), to find out
// what it is worth or whether it is to blame.
bool LaunchesEarly();

// 13000 is 13.0. The newest CUDA that the driver knows (0: no driver), and that of this build.
int DriverVersion();
int RuntimeVersion();

// The major version of the oldest NVIDIA driver that takes this build (driver_versions.h).
int LeastDriver();

// The architectures that the kernels of this build were compiled for, in the form of
// DRAGOMAN_CUDA_ARCHS: "80, 120, 120-virtual". Virtual ones are PTX, which a driver compiles for
// every later card.
const char* CompiledArchitectures();

// The following tell whether the kernels of this build run on a device. The architectures compiled into
// it decide (DRAGOMAN_CUDA_ARCHS), not a number of the device: a build for one architecture has nothing
// for most cards, one with PTX has code for later cards.
//
// kNone if they do; otherwise the runtime's error. Starts a context on the device, which makes this
// the slower question of the two, and, where only PTX fits, has the driver compile a little.
Error FindCode(int index);

// Whether an error of FindCode says that nothing was compiled that fits the device. Other errors
// are about the driver, one that is older than the PTX for example, or about the device.
bool MeansNoCode(Error error);

}  // namespace dragoman::kernels::cuda
