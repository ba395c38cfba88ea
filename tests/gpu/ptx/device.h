// The devices of a program that links this runtime in place of CUDA's: an interpreter of the PTX that
// the program's kernels were compiled to. The runtime's functions (runtime_*.cc) are thin above it.
//
// When what is put on streams happens is stream_order.h's, what is held against calls calls.h's. There is one interpreter,
// and one order of streams, for all devices. Each has its own memory, which no other's kernels reach, its own streams,
// events and graphs, its own attributes of kernels and its own lasting error. The default stream is one for all.
//
// Environment: DRAGOMAN_PTX_ARCH (90a, 80 or 75; 90a without it) is the architecture, DRAGOMAN_PTX_SEED
// decides the order of blocks, warps and bulk copies (1 without it), DRAGOMAN_PTX_DEVICES is the number of
// devices (1 without it, at most 4). DRAGOMAN_PTX_ORDER and
// DRAGOMAN_PTX_EARLY: stream_order.h. For planted faults
// (planted_faults.py): where DRAGOMAN_PTX_PLANT_FIND, a regular expression, matches in the text of a module
// that names DRAGOMAN_PTX_PLANT_IN, DRAGOMAN_PTX_PLANT_PUT takes its place.
//
// Thread-safe: a lock is held for the length of a call.
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

// A kernel that the program registered, known by the address of its stub.
struct RegisteredKernel {
  // The state on one device.
  struct State {
    size_t max_dynamic_shared_bytes = 48 << 10;
    bool loaded = false;  // it was launched, or asked about, outside of a capture
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

  // The calling thread's current one.
  static int Current();
  static void SetCurrent(int device);

  std::mutex& mutex() { return mutex_; }
  const Architecture& architecture() const { return architecture_; }
  // Why this machine cannot run the interpreter; "" if it can.
  const std::string& why_not() const { return why_not_; }

  // All of the following REQUIRE: the caller holds the mutex.

  int count() const { return count_; }
  // REQUIRES: 1 .. kMostDevices, and nothing is on those that go.
  void SetCount(int count) { count_ = count; }

  // Takes the PTX for the architecture out of a fat binary; a handle for AddKernel.
  size_t AddModule(const void* fat_binary);
  void AddKernel(size_t module, const void* stub, const std::string& name);
  // nullptr: not registered. `has_code`: its module has PTX for the architecture.
  RegisteredKernel* FindKernel(const void* stub, bool* has_code);
  const Kernel* Decoded(const RegisteredKernel& kernel);
  // Returns what can be said of a launch before it runs, and the launch, with copies of its arguments.
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
  // Runs what an operation of the device does, unless the device has a lasting error.
  void Act(int device, const std::function<void()>& act);
  // The operation that runs has failed, after its call has returned: a lasting error of its device.
  void Fail(cudaError_t error) { Break(running_, error); }
  // Notes an error for cudaGetLastError, and returns it.
  cudaError_t Note(cudaError_t error);
  cudaError_t TakeLastError();

  // Hands out what was found since the last time, and lets the devices go on after a fault, as no card
  // would: so one test's fault is no other's. What was put on a broken device's streams is gone.
  std::vector<Finding> TakeFindings();

  // A line that counts what ran.
  std::string Summary() const;

  // How many places of the kernels' texts were changed on the way in (below).
  int planted() const { return planted_; }

 private:
  struct LoadedModule {
    std::string text;  // "": nothing for the architecture
    std::unique_ptr<Module> module;
  };

  Device();
  // Faults of kernels go to the report, and where they cannot go on, later calls return an error.
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
  int running_ = 0;  // whose operation runs
  std::array<cudaError_t, kMostDevices> lasting_ = {};
  Handles handles_;
  StreamOrder order_;
};

}  // namespace dragoman::ptx
