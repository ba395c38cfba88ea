// Calls that a thread captures into a graph instead of doing them, in their order.
//
// A capture belongs to the thread that began it, as with cudaStreamCaptureModeThreadLocal; whatever the
// thread does to a stream meanwhile is captured. What may not be captured (allocations, waits) is an error.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

namespace dragoman::ptx {

struct CapturedGraph {
  std::vector<std::function<cudaError_t()>> calls;
};

// The graph that the calling thread captures into, or nullptr.
CapturedGraph* Capturing();

// Does the call, or captures it.
cudaError_t DoOrCapture(std::function<cudaError_t()> call);

}  // namespace dragoman::ptx
