// Calls that a thread captures into a graph instead of putting them on their stream, in their order.
//
// A capture belongs to the thread that began it and is of one stream; what the thread does to others happens. What may
// not be captured (allocations, waits) is an error and a finding: calls.h.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/gpu/ptx/stream_order.h"

namespace dragoman::ptx {

struct CapturedGraph {
  uint32_t stream = 0;
  int device = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
  bool is_lost = false;  // by a call that may not be captured
  std::vector<Work> works;
};

// The graph that the calling thread captures into, or nullptr.
CapturedGraph* Capturing();
inline bool Captures(uint32_t stream) {
  return Capturing() != nullptr && Capturing()->stream == stream;
}

// The number of a stream in the device's StreamOrder: 0 is the default stream's.
uint32_t NumberOf(cudaStream_t stream);
// The device of a stream; of the default stream the current one. The caller holds the mutex.
int DeviceOf(cudaStream_t stream);

// While an object lives, of what its thread puts on streams only that happens whose name the function takes: "kernel
// void dragoman::...", "cuBLASLt's product", "a copy", "a copy on the device", "a fill with 0". The rest is held to every rule of its call, ordered and
// counted, and does nothing: what it would write keeps what it has. Graphs keep all that they captured; what of it
// happens is decided by the thread that launches them. For tests of calls, to which numbers do not matter.
class Only {
 public:
  explicit Only(std::function<bool(const std::string& name)> happens);
  ~Only();
  Only(const Only&) = delete;
  Only& operator=(const Only&) = delete;
  static bool Happens(const Work& work);

 private:
  const std::function<bool(const std::string& name)> happens_;
};

// Puts it on the stream, or captures it. The lasting error, if there is one. Takes the device's mutex.
cudaError_t Put(cudaStream_t stream, Work work);

// A finding: something that this device does not model was asked for. The caller holds the mutex.
cudaError_t NotModelled(const std::string& what);

}  // namespace dragoman::ptx
