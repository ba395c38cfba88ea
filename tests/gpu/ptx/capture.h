// Calls that a thread captures into a graph, in order, instead of putting them on their stream.
//
// A capture belongs to the thread that began it and to one stream. The thread's work on other
// streams runs as usual. Calls that must not be captured (allocations, waits) return an error and
// are findings: calls.h.
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

// Returns the graph that the calling thread captures into, or nullptr.
CapturedGraph* Capturing();
inline bool Captures(uint32_t stream) {
  return Capturing() != nullptr && Capturing()->stream == stream;
}

// Returns the number of a stream in the device's StreamOrder. The default stream has number 0.
uint32_t NumberOf(cudaStream_t stream);
// Returns the device of a stream; for the default stream, the current device. The caller holds the
// mutex.
int DeviceOf(cudaStream_t stream);

// While an object lives, only some of the work that its thread puts on streams runs: work whose
// name the function accepts ("kernel void dragoman::...", "cuBLASLt's product", "a copy", "a copy
// on the device", "a fill with 0"). The other work is still checked, ordered and counted, but
// leaves memory unchanged. Graphs keep everything that they captured; the thread that launches a
// graph decides what of it runs. For tests of calls, in which numbers do not matter.
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

// Puts the work on the stream, or captures it. Returns the lasting error, if any. Takes the
// device's mutex.
cudaError_t Put(cudaStream_t stream, Work work);

// Reports that the program asked for something that this device does not model. The caller holds
// the mutex.
cudaError_t NotModelled(const std::string& what);

}  // namespace dragoman::ptx
