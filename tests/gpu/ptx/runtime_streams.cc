// The CUDA runtime: streams, events and graphs, above stream_order.h. A graph is a list of what was captured.
#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <utility>

#include "tests/gpu/ptx/capture.h"
#include "tests/gpu/ptx/device.h"

namespace dragoman::ptx {
namespace {

thread_local std::unique_ptr<CapturedGraph> captured;

// An event's handle points at this, a stream's at its number.
struct EventState {
  bool recorded = false;
  StreamPlace place;
  StreamClock clock;
};

EventState& StateOf(cudaEvent_t event) { return *reinterpret_cast<EventState*>(event); }
CapturedGraph* GraphOf(cudaGraph_t graph) { return reinterpret_cast<CapturedGraph*>(graph); }
CapturedGraph* GraphOf(cudaGraphExec_t graph) { return reinterpret_cast<CapturedGraph*>(graph); }

// Calls f with the device, its mutex held; then returns the lasting error, if f has not failed.
template <class F>
cudaError_t WithDevice(F f) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  const cudaError_t error = f(device);
  return error != cudaSuccess ? error : device.Note(device.lasting_error());
}

// The device may not be waited for in a capture.
template <class F>
cudaError_t Waiting(F wait) {
  return WithDevice([&](Device& device) {
    if (captured != nullptr) return device.Note(cudaErrorStreamCaptureUnsupported);
    wait(device.order());
    return cudaSuccess;
  });
}

}  // namespace

CapturedGraph* Capturing() { return captured.get(); }

uint32_t NumberOf(cudaStream_t stream) {
  return stream == nullptr ? 0 : *reinterpret_cast<const uint32_t*>(stream);
}

cudaError_t NotModelled(const std::string& what) {
  Device& device = Device::Get();
  Finding finding;
  finding.kind = FindingKind::kUnknownProgram;
  finding.kernel = "the CUDA runtime";
  finding.what = what;
  device.report().Add(finding);
  return device.Note(cudaErrorNotSupported);
}

cudaError_t Put(cudaStream_t stream, Work work) {
  const uint32_t number = NumberOf(stream);
  if (Captures(number)) {
    captured->works.push_back(std::move(work));
    return cudaSuccess;
  }
  return WithDevice([&](Device& device) {
    if (device.lasting_error() == cudaSuccess) device.order().Put(number, {std::move(work)});
    return cudaSuccess;
  });
}

}  // namespace dragoman::ptx

using dragoman::ptx::captured;
using dragoman::ptx::CapturedGraph;
using dragoman::ptx::Captures;
using dragoman::ptx::Device;
using dragoman::ptx::EventState;
using dragoman::ptx::GraphOf;
using dragoman::ptx::NotModelled;
using dragoman::ptx::NumberOf;
using dragoman::ptx::StateOf;
using dragoman::ptx::StreamOrder;
using dragoman::ptx::Waiting;
using dragoman::ptx::WithDevice;

extern "C" {

cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = 0;
  *highest = -1;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return WithDevice([&](Device& device) {
    if (flags != cudaStreamNonBlocking) {
      return NotModelled("a stream that orders itself with the default stream");
    }
    *stream = reinterpret_cast<cudaStream_t>(new uint32_t(device.order().NewStream()));
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int /*priority*/) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  device.order().DropStream(NumberOf(stream));
  delete reinterpret_cast<uint32_t*>(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return Waiting([&](StreamOrder& order) {
    const uint32_t number = NumberOf(stream);
    order.Wait(order.PlaceOf(number), order.ClockOf(number));
  });
}
cudaError_t cudaDeviceSynchronize() {
  return Waiting([](StreamOrder& order) { order.WaitForAll(); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return WithDevice([&](Device& device) {
    if (flags != 0 || Captures(NumberOf(stream))) {
      return NotModelled("an event that is waited for in a capture");
    }
    const EventState& state = StateOf(event);
    // One that was never recorded orders nothing.
    if (state.recorded) device.order().PutWait(NumberOf(stream), state.place, state.clock);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  *event = reinterpret_cast<cudaEvent_t>(new EventState);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<EventState*>(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return WithDevice([&](Device& device) {
    const uint32_t number = NumberOf(stream);
    if (Captures(number)) return NotModelled("an event that is recorded in a capture");
    StateOf(event) = {true, device.order().PlaceOf(number), device.order().ClockOf(number)};
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return WithDevice([&](Device& device) {
    const EventState& state = StateOf(event);
    if (!state.recorded) return cudaSuccess;
    device.order().Advance(state.place);
    if (!device.order().HasHappened(state.place)) return device.Note(cudaErrorNotReady);
    device.order().Wait(state.place, state.clock);  // the host knows it from now on
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return Waiting([&](StreamOrder& order) {
    const EventState& state = StateOf(event);
    if (state.recorded) order.Wait(state.place, state.clock);
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return WithDevice([&](Device& device) {
    for (const cudaEvent_t event : {begin, end}) {
      if (!StateOf(event).recorded) return device.Note(cudaErrorInvalidResourceHandle);
      if (!device.order().HasHappened(StateOf(event).place)) return device.Note(cudaErrorNotReady);
    }
    // There is no time here; a number that is one.
    *milliseconds = 1.0F;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode /*mode*/) {
  if (captured != nullptr || stream == nullptr) return Device::Get().Note(cudaErrorIllegalState);
  captured = std::make_unique<CapturedGraph>();
  captured->stream = NumberOf(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  if (!Captures(NumberOf(stream))) return Device::Get().Note(cudaErrorIllegalState);
  *graph = reinterpret_cast<cudaGraph_t>(captured.release());
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* /*nodes*/, size_t* count) {
  *count = GraphOf(graph)->works.size();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete GraphOf(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  *executable = reinterpret_cast<cudaGraphExec_t>(new CapturedGraph(*GraphOf(graph)));
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t /*graph*/, cudaStream_t /*stream*/) {
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return WithDevice([&](Device& device) {
    if (Captures(NumberOf(stream))) return NotModelled("a graph that is launched in a capture");
    if (device.lasting_error() == cudaSuccess) {
      device.order().Put(NumberOf(stream), GraphOf(graph)->works);
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete GraphOf(graph);
  return cudaSuccess;
}

}  // extern "C"
