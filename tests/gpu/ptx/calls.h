// Observes the program's calls to the CUDA runtime and to cuBLASLt. Counts them and checks CUDA's
// rules for captures, devices and handles. Tests can record calls, make them fail, or insert calls
// of their own.
//
// Rules for captures (the CUDA programming guide, "Prohibited and Unhandled Operations", and
// cudaThreadExchangeStreamCaptureMode):
//
//   In the modes global and thread-local, a thread that captures must not allocate, free or wait
//   (this includes cudaEventQuery). Such calls are "potentially unsafe". In the mode global, they
//   are prohibited for every thread.
//   No thread may wait for a stream that is being captured, or for its device.
//   Each of these calls returns an error, and the capture is lost (cudaStreamEndCapture reports
//   it).
//   In addition, by the project's own rule (kernels/cuda/launch.h), a thread captures only
//   launches, copies, fills and products. It sets no attribute, and makes, destroys and selects
//   nothing. Every kernel was launched before, because a kernel is loaded at its first launch. CUDA
//   permits calls that break this rule. So does this device, but it reports them.
//
// Rules for devices (the programming guide, "Stream and Event Behavior"): CUDA returns an error for
// a launch into another device's stream, for cudaEventRecord with another device's stream, and for
// cudaEventElapsedTime of events of two devices. Other calls work no matter which device is
// current. But by the project's rule (kernels/cuda/device.h) a thread selects the device first,
// because otherwise its next launch would fail. So any call for a device that is not current is a
// finding.
//
// A lasting error (a fault of a kernel) stays with its device: every later call that needs the
// device returns this error. Calls that free, destroy or select still do so.
//
// Thread-safe.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/gpu/ptx/capture.h"
#include "tests/gpu/ptx/device.h"

namespace dragoman::ptx {

enum class CallKind : uint8_t {
  kAsk,           // changes nothing: attributes, versions, the current device, memory of the host
  kSelect,        // cudaSetDevice
  kSetAttribute,  // of a kernel
  kAllocate,
  kRelease,  // frees memory
  kMake,
  kDestroy,  // destroys streams, events, graphs
  kWork,     // put on a stream
  kWait,     // the host waits, or asks whether something has happened
  kCapture,  // begins or ends a capture
};

// A call, with the objects that it names. `function` has static storage.
struct Call {
  const char* function = "";
  CallKind kind = CallKind::kAsk;
  bool needs_device = true;  // false: the call works even after a lasting error
  bool may_fail = true;      // false: tests cannot make it fail, because it reports errors itself
  std::optional<cudaStream_t> stream = {};
  std::optional<cudaEvent_t> event = {};
  std::optional<cudaEvent_t> other_event = {};
  std::optional<cudaGraph_t> graph = {};
  std::optional<cudaGraphExec_t> executable = {};
  const void* memory = nullptr;
  const void* other_memory = nullptr;
  int device =
      // That the call is for, by its number or through a handle of cuBLASLt; -1: the current one.
      -1;
  uint64_t bytes = 0;            // of memory
  const Grid* grid = nullptr;    // of a launch
  bool of_whole_device = false;  // waits for all work of the device
};

// A call as it was recorded.
struct RecordedCall {
  uint64_t number = 0;  // counted from 1
  std::string_view function;
  CallKind kind = CallKind::kAsk;
  uint32_t thread = 0;              // numbered in the order of the threads' first calls
  int device = 0;                   // the current device
  int64_t stream = -1;              // its number; -1: no stream
  bool captures = false;            // the thread is in a capture
  bool stream_is_captured = false;  // by any thread
  uint64_t bytes = 0;
  Grid grid;  // of a launch
};

// An error that a test plans for a call.
struct PlannedError {
  uint64_t at = 1;                                // index of a call that may fail, from 1
  std::string function;                           // of those of this function; "": of all
  cudaError_t error = cudaErrorMemoryAllocation;  // for cuBLASLt, the nearest status
  bool lasting = false;
};

class Calls {
 public:
  static Calls& Get();

  // The decision on a call before it is carried out.
  struct Verdict {
    cudaError_t error = cudaSuccess;
    bool acts = true;  // the call is carried out, no matter what it returns
  };
  // Counts a call and checks it against the rules. Takes the device's mutex.
  Verdict Admit(const Call& call);

  // The number of calls of each function, and of all functions.
  std::map<std::string_view, uint64_t> counts() const;
  uint64_t total() const;
  // Returns a line such as "12,345 calls: 12 cudaMalloc, ...".
  std::string Text() const;

  // Called when a capture begins and ends. REQUIRES: the caller holds the mutex.
  void Begin(CapturedGraph* captured) { captured_.push_back(captured); }
  void End(const CapturedGraph* captured) { std::erase(captured_, captured); }

  // Records every call while `on`. Only tests use it.
  void Record(bool on);
  std::vector<RecordedCall> recorded() const;
  // While `on`, records for each call that may fail a number that identifies its place in the
  // program: calls with the same innermost return addresses have the same number. Places returns
  // these numbers.
  void WatchPlaces(bool on);
  std::vector<uint64_t> places() const;
  // From now on, counts the calls that may fail, and makes one of them fail.
  void Plan(const PlannedError& error);
  // Cancels the planned error. Returns the call that failed, if one did: "cudaMalloc, in a
  // capture".
  std::string StopPlanned();
  // Sets a function that runs before each call of the program, on the calling thread and without
  // the mutex. Calls that the function makes are treated like the program's, but do not run it
  // again. A null function removes it for the calls that begin from then on.
  using Hook = std::function<void(const Call&)>;
  void Before(Hook hook);
  void RunHook(const Call& call);

  // Returns everything that was made and not freed: allocations, host memory, streams, events,
  // graphs, objects of cuBLASLt. Each entry has the function that makes the kind, and the amount.
  static std::vector<std::pair<std::string, std::string>> Left();
  // Reports everything that Left returns as findings.
  static void CheckFreed();

 private:
  static void Find(FindingKind kind, const Call& call, const std::string& what);
  static bool HasStaleHandle(const Call& call);
  static void CheckDevice(const Call& call, int current);
  // Returns false if CUDA refuses the call, in which case captures are lost.
  bool FitsCaptures(const Call& call, int current) const;
  bool IsPlanned(const Call& call);
  void Keep(const Call& call, int current);

  // The device's mutex guards all of these.
  std::map<std::string_view, uint64_t> counts_;
  uint64_t total_ = 0;
  std::vector<CapturedGraph*> captured_;
  bool records_ = false;
  std::vector<RecordedCall> recorded_;
  bool watches_places_ = false;
  std::vector<uint64_t> places_;
  std::optional<PlannedError> planned_;
  uint64_t until_planned_ = 0;
  std::string failed_;
  std::shared_ptr<const Hook> hook_;  // shared with the threads that call it

  std::atomic<bool> has_hook_ = false;
};

// Calls `body` if the call is admitted, and returns the call's result.
template <class Body>
cudaError_t Called(const Call& call, Body body) {
  Calls& calls = Calls::Get();
  calls.RunHook(call);
  const Calls::Verdict verdict = calls.Admit(call);
  Device& device = Device::Get();
  const cudaError_t result = verdict.acts ? body(device) : verdict.error;
  return verdict.error != cudaSuccess ? device.Note(verdict.error) : result;
}

// Does the same for cuBLASLt.
template <class Body>
cublasStatus_t CalledLt(const Call& call, Body body) {
  Calls& calls = Calls::Get();
  calls.RunHook(call);
  const Calls::Verdict verdict = calls.Admit(call);
  const cublasStatus_t result = verdict.acts ? body() : CUBLAS_STATUS_SUCCESS;
  if (verdict.error == cudaSuccess) return result;
  return verdict.error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                                    : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace dragoman::ptx
