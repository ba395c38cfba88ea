// The devices of a program that links this runtime in place of CUDA's. An interpreter runs the PTX
// of the program's kernels. The runtime's functions (runtime_*.cc) are thin wrappers of this class.
//
// stream_order.h decides when work on streams runs, and calls.h checks the calls. All devices share
// one interpreter and one order of streams. Each device has its own memory (no kernel of another
// device can access it), streams, events and graphs, attributes of kernels, and lasting error. All
// devices share one default stream.
//
// Environment:
//   DRAGOMAN_PTX_ARCH     the architecture: 90a (default), 80 or 75
//   DRAGOMAN_PTX_SEED     decides the order of blocks, warps and bulk copies (default 1)
//   DRAGOMAN_PTX_DEVICES  the number of devices (default 1, at most 4)
//   DRAGOMAN_PTX_ORDER, DRAGOMAN_PTX_EARLY: see stream_order.h
// For planted faults (planted_faults.py): if a module's text contains DRAGOMAN_PTX_PLANT_IN, each
// match of the regular expression DRAGOMAN_PTX_PLANT_FIND is replaced by DRAGOMAN_PTX_PLANT_PUT.
//
// Thread-safe: each call holds a lock.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/gpu/ptx/handles.h"
#include "tests/gpu/ptx/launch.h"
#include "tests/gpu/ptx/memory.h"
#include "tests/gpu/ptx/module.h"
#include "tests/gpu/ptx/report.h"
#include "tests/gpu/ptx/stream_order.h"

namespace dragoman::ptx {

struct Architecture {
  std::string name;  // "90a"
  int major = 0;
  int minor = 0;
  DeviceLimits limits;
};

inline constexpr int kMostDevices = 4;

// A kernel that the program registered. The address of its stub identifies it.
struct RegisteredKernel {
  // The state on one device.
  struct State {
    size_t max_dynamic_shared_bytes = 48 << 10;
    bool loaded = false;  // the kernel was launched or queried outside of a capture
  };
  size_t module = 0;
  std::string name;
  std::array<State, kMostDevices> on = {};
};

class Device {
 public:
  static Device& Get();
  static constexpr int kMultiprocessors = 4;  // few, so that blocks loop
  static constexpr size_t kTotalBytes = size_t{8} << 30;

  // The calling thread's current device.
  static int Current();
  static void SetCurrent(int device);

  std::mutex& mutex() { return mutex_; }
  const Architecture& architecture() const { return architecture_; }
  // Returns why this machine cannot run the interpreter, or "" if it can.
  const std::string& why_not() const { return why_not_; }

  // All of the following REQUIRE: the caller holds the mutex.

  int count() const { return count_; }
  // REQUIRES: count is 1 .. kMostDevices, and the devices that are removed have no objects.
  void SetCount(int count) { count_ = count; }

  // Extracts the PTX for the architecture from a fat binary. Returns a handle for AddKernel.
  size_t AddModule(const void* fat_binary);
  void AddKernel(size_t module, const void* stub, const std::string& name);
  // Returns nullptr for a kernel that is not registered. `has_code`: whether the module has PTX for
  // the architecture.
  RegisteredKernel* FindKernel(const void* stub, bool* has_code);
  const Kernel* Decoded(const RegisteredKernel& kernel);
  // Checks what can be checked before a launch runs. Stores the launch in `held`, with copies of
  // its arguments.
  cudaError_t Hold(const void* stub, const Grid& grid, const void* const* arguments,
                   HeldLaunch* held);
  StreamOrder& order() { return order_; }
  Handles& handles() { return handles_; }

  DeviceMemory& memory() { return memory_; }
  Report& report() { return report_; }
  const LaunchCounts& counts() const { return counts_; }
  uint64_t launches() const { return launches_; }

  // The error that a launch on the device has left, which every later call returns.
  cudaError_t lasting_error(int device) const { return lasting_[static_cast<size_t>(device)]; }
  void Break(int device, cudaError_t error) { lasting_[static_cast<size_t>(device)] = error; }
  // Runs the work of an operation on a device, unless the device has a lasting error.
  void Act(int device, const std::function<void()>& act);
  // Sets a lasting error of the running operation's device. The call of the operation has returned
  // already.
  void Fail(cudaError_t error) { Break(running_, error); }
  // Notes an error for cudaGetLastError, and returns it.
  cudaError_t Note(cudaError_t error);
  cudaError_t TakeLastError();

  // Returns the findings since the last call, and clears the devices' errors, which no real card
  // would do: a fault of one test must not fail the next one. Pending work of a device with an
  // error is discarded.
  std::vector<Finding> TakeFindings();

  // Returns a line that counts what ran.
  std::string Summary() const;

  // The number of places where kernels' texts were changed (DRAGOMAN_PTX_PLANT_FIND).
  int planted() const { return planted_; }

 private:
  struct LoadedModule {
    std::string text;  // "": nothing for the architecture
    std::unique_ptr<Module> module;
  };

  Device();
  // Runs a chain of kernels. Reports their faults. After a fault that ends a kernel, later calls
  // return an error.
  void Run(const std::vector<const HeldLaunch*>& chain, EarlyStart start, ChainOrder& order);

  std::mutex mutex_;
  Architecture architecture_;
  std::string why_not_;
  uint64_t seed_ = 1;
  int planted_ = 0;
  std::vector<LoadedModule> modules_;
  std::unordered_map<const void*, RegisteredKernel> kernels_;
  DeviceMemory memory_;
  Report report_;
  LaunchCounts counts_;
  uint64_t launches_ = 0;
  int count_ = 1;
  int running_ = 0;  // the device of the running operation
  std::array<cudaError_t, kMostDevices> lasting_ = {};
  Handles handles_;
  StreamOrder order_;
};

}  // namespace dragoman::ptx
