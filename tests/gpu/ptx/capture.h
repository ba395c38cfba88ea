// Calls that a thread captures into a graph instead of putting them on their stream, in their order.
//
// A capture belongs to the thread that began it, as with cudaStreamCaptureModeThreadLocal, and is of one stream; what
// the thread does to others happens. What may not be captured (allocations, waits) is an error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/gpu/ptx/stream_order.h"

namespace dragoman::ptx {

struct CapturedGraph {
  uint32_t stream = 0;
  std::vector<Work> works;
};

// The graph that the calling thread captures into, or nullptr.
CapturedGraph* Capturing();
inline bool Captures(uint32_t stream) {
  return Capturing() != nullptr && Capturing()->stream == stream;
}

// The number of a stream in the device's StreamOrder.
uint32_t NumberOf(cudaStream_t stream);

// Puts it on the stream, or captures it. The lasting error, if there is one. Takes the device's mutex.
cudaError_t Put(cudaStream_t stream, Work work);

// A finding: something that this device does not model was asked for. The caller holds the mutex.
cudaError_t NotModelled(const std::string& what);

}  // namespace dragoman::ptx
