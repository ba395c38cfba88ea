// The program's calls to the CUDA runtime and to cuBLASLt: counted, held to CUDA's rules for captures, devices and
// handles, and for tests recorded, made to fail, or joined by calls that the program does not make.
//
// Of captures (the CUDA programming guide, "Prohibited and Unhandled Operations", and cudaThreadExchangeStreamCaptureMode):
//
//   A thread that captures allocates and frees nothing, and waits for nothing, cudaEventQuery included: such calls are
//   "potentially unsafe", in the modes global and thread-local. In the mode global they are it for every thread.
//   No thread waits for a stream that is captured, or for its device.
//   Whichever is tried returns an error, and the capture is lost (cudaStreamEndCapture says so).
//   Beside that, by the project's own rule (kernels/cuda/launch.h): what a thread captures is launches, copies, fills
//   and products. It sets no attribute, makes, destroys and selects nothing, and every kernel was launched before, for a
//   kernel is loaded at its first launch. CUDA lets such calls pass, and so does this device.
//
// Of devices (the programming guide, "Stream and Event Behavior"): a launch into another device's stream fails, as do
// cudaEventRecord with another device's stream and cudaEventElapsedTime of two devices' events. Other calls work whichever
// device is current; but the project's rule (kernels/cuda/device.h) is that a thread selects the device first, and a
// thread that has not is one step from a launch that fails. So all of them are findings.
//
// An error that is lasting (a fault of a kernel) stays with its device: every later call that needs it returns it. What
// is freed, destroyed or selected then is so all the same.
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
  kAsk,     // changes nothing: attributes, versions, the current device, what only the host has
  kSelect,  // cudaSetDevice
  kSetAttribute,  // of a kernel
  kAllocate,
  kRelease,  // memory
  kMake,
  kDestroy,  // streams, events, graphs
  kWork,     // put on a stream
  kWait,     // the host waits, or asks whether something has come
  kCapture,  // begins or ends one
};

// A call, with what it names. `function` lives for ever.
struct Call {
  const char* function = "";
  CallKind kind = CallKind::kAsk;
  bool needs_device = true;  // false: works after a lasting error
  bool may_fail = true;      // false: a test cannot let it fail, for it tells of errors itself
  std::optional<cudaStream_t> stream = {};
  std::optional<cudaEvent_t> event = {};
  std::optional<cudaEvent_t> other_event = {};
  std::optional<cudaGraph_t> graph = {};
  std::optional<cudaGraphExec_t> executable = {};
  const void* memory = nullptr;
  const void* other_memory = nullptr;
  int device =
      -1;  // that it is for, by its number or through a handle of cuBLASLt; -1: the current one
  uint64_t bytes = 0;            // of memory
  const Grid* grid = nullptr;    // of a launch
  bool of_whole_device = false;  // a wait for all that it does
};

// A call as it was made.
struct RecordedCall {
  uint64_t number = 0;  // from 1
  std::string_view function;
  CallKind kind = CallKind::kAsk;
  uint32_t thread = 0;              // in the order of their first calls
  int device = 0;                   // current
  int64_t stream = -1;              // its number; -1: of none
  bool captures = false;            // the thread is in a capture
  bool stream_is_captured = false;  // by whichever thread
  uint64_t bytes = 0;
  Grid grid;  // of a launch
};

// An error that a test wants of a call.
struct PlannedError {
  uint64_t at = 1;                                // which of the calls that may fail, from 1
  std::string function;                           // of those of this function; "": of all
  cudaError_t error = cudaErrorMemoryAllocation;  // of cuBLASLt, the status that is nearest
  bool lasting = false;
};

class Calls {
 public:
  static Calls& Get();

  // The decision on a call before it is carried out.
  struct Verdict {
    cudaError_t error = cudaSuccess;
    bool acts = true;  // it is carried out, whatever is returned
  };
  // Counts it and holds it to the rules. Takes the device's mutex.
  Verdict Admit(const Call& call);

  // How often each function was called, and all of them.
  std::map<std::string_view, uint64_t> counts() const;
  uint64_t total() const;
  // A line: "12,345 calls: 12 cudaMalloc, ...".
  std::string Text() const;

  // A capture begins and ends, with the mutex held.
  void Begin(CapturedGraph* captured) { captured_.push_back(captured); }
  void End(const CapturedGraph* captured) { std::erase(captured_, captured); }

  // Tests only: keeps every call from the moment of `on`.
  void Record(bool on);
  std::vector<RecordedCall> recorded() const;
  // From this moment on, the places of the program that the calls come from: for each call that may fail a number that is
  // the same where the innermost return addresses are. They are what Places returns.
  void WatchPlaces(bool on);
  std::vector<uint64_t> places() const;
  // Calls that may fail are counted from here on, and one of them fails.
  void Plan(const PlannedError& error);
  // None fails any more. What failed, if it has: "cudaMalloc, in a capture".
  std::string StopPlanned();
  // Called before each call of the program, by its thread, without the mutex. Calls that it makes itself are like the
  // program's, and are not told of. Null ends that for the calls that begin from then on.
  using Hook = std::function<void(const Call&)>;
  void Before(Hook hook);
  void RunHook(const Call& call);

  // Everything made and not freed: allocations, memory of the host, streams, events, graphs, objects of cuBLASLt; for
  // each kind there is any of, the function that made it and how much there is.
  static std::vector<std::pair<std::string, std::string>> Left();
  // Reports all of that as findings.
  static void CheckFreed();

 private:
  static void Find(FindingKind kind, const Call& call, const std::string& what);
  static bool HasStaleHandle(const Call& call);
  static void CheckDevice(const Call& call, int current);
  // False: CUDA refuses it, and captures are lost.
  bool FitsCaptures(const Call& call, int current) const;
  bool IsPlanned(const Call& call);
  void Keep(const Call& call, int current);

  // All of it is guarded by the device's mutex.
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

// Carries a call out by `body`, if it may be.
template <class Body>
cudaError_t Called(const Call& call, Body body) {
  Calls& calls = Calls::Get();
  calls.RunHook(call);
  const Calls::Verdict verdict = calls.Admit(call);
  Device& device = Device::Get();
  const cudaError_t result = verdict.acts ? body(device) : verdict.error;
  return verdict.error != cudaSuccess ? device.Note(verdict.error) : result;
}

// The same of cuBLASLt.
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
