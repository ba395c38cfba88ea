// The CUDA runtime: streams, events and graphs. All that is put on a stream has happened when the call
// returns, so streams and events have no state; a graph is a list of calls.
#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>

#include "tests/gpu/ptx/capture.h"
#include "tests/gpu/ptx/device.h"

namespace dragoman::ptx {
namespace {

thread_local std::unique_ptr<CapturedGraph> captured;

cudaError_t Lasting() {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  return device.Note(device.lasting_error());
}

// A handle that is not null, and whose end a tool can miss.
template <class Handle>
Handle NewHandle() {
  return reinterpret_cast<Handle>(new char);
}
template <class Handle>
cudaError_t DeleteHandle(Handle handle) {
  delete reinterpret_cast<char*>(handle);
  return cudaSuccess;
}

// The device may not be waited for in a capture.
cudaError_t Waited() {
  if (captured != nullptr) return Device::Get().Note(cudaErrorStreamCaptureUnsupported);
  return Lasting();
}

}  // namespace

CapturedGraph* Capturing() { return captured.get(); }

cudaError_t DoOrCapture(std::function<cudaError_t()> call) {
  if (captured == nullptr) return call();
  captured->calls.push_back(std::move(call));
  return cudaSuccess;
}

}  // namespace dragoman::ptx

using dragoman::ptx::captured;
using dragoman::ptx::CapturedGraph;
using dragoman::ptx::DeleteHandle;
using dragoman::ptx::Device;
using dragoman::ptx::Lasting;
using dragoman::ptx::NewHandle;
using dragoman::ptx::Waited;

extern "C" {

cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = 0;
  *highest = -1;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = NewHandle<cudaStream_t>();
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/,
                                         int /*priority*/) {
  *stream = NewHandle<cudaStream_t>();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return DeleteHandle(stream); }
cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) { return Waited(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t /*event*/,
                                unsigned /*flags*/) {
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  *event = NewHandle<cudaEvent_t>();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return DeleteHandle(event); }
cudaError_t cudaEventRecord(cudaEvent_t /*event*/, cudaStream_t /*stream*/) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t /*event*/) { return Lasting(); }
cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) { return Waited(); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t /*begin*/, cudaEvent_t /*end*/) {
  // There is no time here; a number that is one.
  *milliseconds = 1.0F;
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t /*stream*/, cudaStreamCaptureMode /*mode*/) {
  if (captured != nullptr) return Device::Get().Note(cudaErrorIllegalState);
  captured = std::make_unique<CapturedGraph>();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t /*stream*/, cudaGraph_t* graph) {
  *graph = reinterpret_cast<cudaGraph_t>(captured.release());
  return *graph == nullptr ? Device::Get().Note(cudaErrorIllegalState) : cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* /*nodes*/, size_t* count) {
  *count = reinterpret_cast<CapturedGraph*>(graph)->calls.size();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete reinterpret_cast<CapturedGraph*>(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  *executable = reinterpret_cast<cudaGraphExec_t>(
      new CapturedGraph(*reinterpret_cast<CapturedGraph*>(graph)));
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t /*graph*/, cudaStream_t /*stream*/) {
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t /*stream*/) {
  for (const auto& call : reinterpret_cast<CapturedGraph*>(graph)->calls) {
    const cudaError_t error = call();
    if (error != cudaSuccess) return error;
  }
  return Lasting();
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete reinterpret_cast<CapturedGraph*>(graph);
  return cudaSuccess;
}

}  // extern "C"
