// The CUDA runtime: streams, events and graphs, based on stream_order.h. A graph is a list of
// captured work.
#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/gpu/ptx/calls.h"
#include "tests/gpu/ptx/capture.h"
#include "tests/gpu/ptx/device.h"

namespace dragoman::ptx {
namespace {

thread_local std::unique_ptr<CapturedGraph> captured;
thread_local const std::function<bool(const std::string&)>* only = nullptr;

struct EventState {
  bool recorded = false;
  StreamPlace place;
  StreamClock clock;
};

// The states of events and graphs by their handles. The device's mutex guards them. Never
// destroyed, like the device.
struct Objects {
  uint64_t next = 1;
  std::map<const void*, EventState> events;
  std::map<const void*, CapturedGraph> graphs;  // and executable ones

  static Objects& Get() {
    static Objects* const objects = new Objects;
    return *objects;
  }
  template <class Pointer>
  Pointer Make(HandleKind kind) {
    return static_cast<Pointer>(Device::Get().handles().Make(kind, Device::Current(), next++));
  }
};

// REQUIRES: the handle is valid, which Admit has checked.
EventState& StateOf(cudaEvent_t event) { return Objects::Get().events.at(event); }
CapturedGraph& GraphOf(const void* graph) { return Objects::Get().graphs.at(graph); }

// Calls f with the device, holding its mutex. Returns f's error, or else the lasting error.
template <class F>
cudaError_t WithDevice(F f) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  const cudaError_t error = f(device);
  return error != cudaSuccess ? error : device.Note(device.lasting_error(Device::Current()));
}

template <class F>
cudaError_t Locked(const Call& call, F f) {
  return Called(call, [&](Device&) { return WithDevice(f); });
}

cudaError_t MakeStream(const char* function, cudaStream_t* stream, unsigned flags) {
  return Locked({.function = function, .kind = CallKind::kMake}, [&](Device& device) {
    if (flags != cudaStreamNonBlocking) {
      return NotModelled("a stream that orders itself with the default stream");
    }
    *stream = static_cast<cudaStream_t>(
        device.handles().Make(HandleKind::kStream, Device::Current(), device.order().NewStream()));
    return cudaSuccess;
  });
}

// Drops the handle and the state of an object whose destruction was admitted.
template <class States>
cudaError_t Drop(HandleKind kind, const void* handle, States* states) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  device.handles().Drop(kind, handle);
  states->erase(handle);
  return cudaSuccess;
}

}  // namespace

Only::Only(std::function<bool(const std::string& name)> happens) : happens_(std::move(happens)) {
  only = &happens_;
}
Only::~Only() { only = nullptr; }
bool Only::Happens(const Work& work) { return only == nullptr || (*only)(work.name); }

CapturedGraph* Capturing() { return captured.get(); }

uint32_t NumberOf(cudaStream_t stream) {
  return stream == nullptr ? 0 : static_cast<uint32_t>(Handles::NumberOf(stream));
}

int DeviceOf(cudaStream_t stream) {
  const Handle* const found = Device::Get().handles().Find(HandleKind::kStream, stream);
  return found == nullptr ? Device::Current() : found->device;
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
  return WithDevice([&](Device& device) {
    if (work.act) {
      work.act = [of = DeviceOf(stream), act = std::move(work.act)] { Device::Get().Act(of, act); };
    }
    if (Captures(number)) {
      captured->works.push_back(std::move(work));
      return cudaSuccess;
    }
    if (device.lasting_error(DeviceOf(stream)) == cudaSuccess) {
      work.is_skipped = !Only::Happens(work);
      device.order().Put(number, {std::move(work)});
    }
    return cudaSuccess;
  });
}

}  // namespace dragoman::ptx

using dragoman::ptx::Call;
using dragoman::ptx::Called;
using dragoman::ptx::CallKind;
using dragoman::ptx::Calls;
using dragoman::ptx::captured;
using dragoman::ptx::CapturedGraph;
using dragoman::ptx::Captures;
using dragoman::ptx::Device;
using dragoman::ptx::DeviceOf;
using dragoman::ptx::Drop;
using dragoman::ptx::EventState;
using dragoman::ptx::GraphOf;
using dragoman::ptx::HandleKind;
using dragoman::ptx::Locked;
using dragoman::ptx::MakeStream;
using dragoman::ptx::NotModelled;
using dragoman::ptx::NumberOf;
using dragoman::ptx::Objects;
using dragoman::ptx::Only;
using dragoman::ptx::StateOf;
using dragoman::ptx::Work;

extern "C" {

cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  return dragoman::ptx::Called({.function = "cudaDeviceGetStreamPriorityRange"}, [&](Device&) {
    *lowest = 0;
    *highest = -1;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return MakeStream("cudaStreamCreateWithFlags", stream, flags);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int /*priority*/) {
  return MakeStream("cudaStreamCreateWithPriority", stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return dragoman::ptx::Called(
      {.function = "cudaStreamDestroy", .kind = CallKind::kDestroy, .stream = stream},
      [&](Device& device) {
        const std::lock_guard lock(device.mutex());
        if (!device.handles().Drop(HandleKind::kStream, stream)) {
          return device.Note(cudaErrorInvalidResourceHandle);
        }
        device.order().DropStream(dragoman::ptx::NumberOf(stream));
        return cudaSuccess;
      });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return Locked({.function = "cudaStreamSynchronize", .kind = CallKind::kWait, .stream = stream},
                [&](Device& device) {
                  const uint32_t number = dragoman::ptx::NumberOf(stream);
                  device.order().Wait(device.order().PlaceOf(number),
                                      device.order().ClockOf(number));
                  return cudaSuccess;
                });
}
cudaError_t cudaDeviceSynchronize() {
  return Locked(
      {.function = "cudaDeviceSynchronize", .kind = CallKind::kWait, .of_whole_device = true},
      [](Device& device) {
        device.order().WaitForAll();
        return cudaSuccess;
      });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return Locked({.function = "cudaStreamWaitEvent",
                 .kind = CallKind::kWork,
                 .stream = stream,
                 .event = event},
                [&](Device& device) {
                  if (flags != 0 || dragoman::ptx::Captures(dragoman::ptx::NumberOf(stream))) {
                    return dragoman::ptx::NotModelled("an event that is waited for in a capture");
                  }
                  const EventState& state = StateOf(event);
                  // An event that was never recorded orders nothing.
                  if (state.recorded) {
                    device.order().PutWait(dragoman::ptx::NumberOf(stream), state.place,
                                           state.clock);
                  }
                  return cudaSuccess;
                });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  return Locked({.function = "cudaEventCreateWithFlags", .kind = CallKind::kMake}, [&](Device&) {
    *event = Objects::Get().Make<cudaEvent_t>(HandleKind::kEvent);
    Objects::Get().events[*event] = {};
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return dragoman::ptx::Called(
      {.function = "cudaEventDestroy", .kind = CallKind::kDestroy, .event = event},
      [&](Device&) { return Drop(HandleKind::kEvent, event, &Objects::Get().events); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return Locked(
      {.function = "cudaEventRecord", .kind = CallKind::kWork, .stream = stream, .event = event},
      [&](Device& device) {
        const uint32_t number = dragoman::ptx::NumberOf(stream);
        if (dragoman::ptx::Captures(number))
          return dragoman::ptx::NotModelled("an event that is recorded in a capture");
        if (device.handles().Find(HandleKind::kEvent, event)->device !=
            dragoman::ptx::DeviceOf(stream)) {
          return device.Note(cudaErrorInvalidResourceHandle);
        }
        StateOf(event) = {true, device.order().PlaceOf(number), device.order().ClockOf(number)};
        return cudaSuccess;
      });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return Locked({.function = "cudaEventQuery", .kind = CallKind::kWait, .event = event},
                [&](Device& device) {
                  const EventState& state = StateOf(event);
                  if (!state.recorded) return cudaSuccess;
                  device.order().Advance(state.place);
                  if (!device.order().HasHappened(state.place))
                    return device.Note(cudaErrorNotReady);
                  // From now on, the host knows that it has happened.
                  device.order().Wait(state.place, state.clock);
                  return cudaSuccess;
                });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return Locked({.function = "cudaEventSynchronize", .kind = CallKind::kWait, .event = event},
                [&](Device& device) {
                  const EventState& state = StateOf(event);
                  if (state.recorded) device.order().Wait(state.place, state.clock);
                  return cudaSuccess;
                });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return Locked({.function = "cudaEventElapsedTime", .event = begin, .other_event = end},
                [&](Device& device) {
                  for (const cudaEvent_t event : {begin, end}) {
                    if (!StateOf(event).recorded) {
                      return device.Note(cudaErrorInvalidResourceHandle);
                    }
                    if (!device.order().HasHappened(StateOf(event).place)) {
                      return device.Note(cudaErrorNotReady);
                    }
                  }
                  // This device has no time. Returns an arbitrary positive number.
                  *milliseconds = 1.0F;
                  return cudaSuccess;
                });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return Locked(
      {.function = "cudaStreamBeginCapture", .kind = CallKind::kCapture, .stream = stream},
      [&](Device& device) {
        if (captured != nullptr || stream == nullptr) {
          return device.Note(cudaErrorIllegalState);
        }
        if (mode == cudaStreamCaptureModeRelaxed) {
          return dragoman::ptx::NotModelled("a capture in the mode relaxed");
        }
        captured = std::make_unique<CapturedGraph>();
        captured->stream = dragoman::ptx::NumberOf(stream);
        captured->device = dragoman::ptx::DeviceOf(stream);
        captured->mode = mode;
        Calls::Get().Begin(captured.get());
        return cudaSuccess;
      });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  cudaGraph_t made = nullptr;
  const cudaError_t error =
      Locked({.function = "cudaStreamEndCapture", .kind = CallKind::kCapture, .stream = stream},
             [&](Device& device) {
               if (!dragoman::ptx::Captures(dragoman::ptx::NumberOf(stream)))
                 return device.Note(cudaErrorIllegalState);
               Calls::Get().End(captured.get());
               const std::unique_ptr<CapturedGraph> ended = std::move(captured);
               if (ended->is_lost) return device.Note(cudaErrorStreamCaptureInvalidated);
               made = Objects::Get().Make<cudaGraph_t>(HandleKind::kGraph);
               Objects::Get().graphs[made] = std::move(*ended);
               return cudaSuccess;
             });
  // An error ends the capture as well, and then there is no graph.
  if (error == cudaSuccess) {
    *graph = made;
  } else if (made != nullptr) {
    Drop(HandleKind::kGraph, made, &Objects::Get().graphs);
  }
  return error;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* /*nodes*/, size_t* count) {
  return Locked({.function = "cudaGraphGetNodes", .graph = graph}, [&](Device&) {
    *count = GraphOf(graph).works.size();
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return dragoman::ptx::Called(
      {.function = "cudaGraphDestroy", .kind = CallKind::kDestroy, .graph = graph},
      [&](Device&) { return Drop(HandleKind::kGraph, graph, &Objects::Get().graphs); });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  return Locked({.function = "cudaGraphInstantiate", .kind = CallKind::kMake, .graph = graph},
                [&](Device&) {
                  *executable = Objects::Get().Make<cudaGraphExec_t>(HandleKind::kExecutable);
                  Objects::Get().graphs[*executable] = GraphOf(graph);
                  return cudaSuccess;
                });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream) {
  return dragoman::ptx::Called({.function = "cudaGraphUpload",
                                .kind = CallKind::kWork,
                                .stream = stream,
                                .executable = graph},
                               [](Device&) { return cudaSuccess; });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return Locked({.function = "cudaGraphLaunch",
                 .kind = CallKind::kWork,
                 .stream = stream,
                 .executable = graph},
                [&](Device& device) {
                  if (dragoman::ptx::Captures(dragoman::ptx::NumberOf(stream))) {
                    return dragoman::ptx::NotModelled("a graph that is launched in a capture");
                  }
                  if (GraphOf(graph).device != dragoman::ptx::DeviceOf(stream)) {
                    return device.Note(cudaErrorInvalidValue);
                  }
                  if (device.lasting_error(dragoman::ptx::DeviceOf(stream)) == cudaSuccess) {
                    std::vector<Work> works = GraphOf(graph).works;
                    for (Work& work : works) work.is_skipped = !Only::Happens(work);
                    device.order().Put(dragoman::ptx::NumberOf(stream), std::move(works));
                  }
                  return cudaSuccess;
                });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  return dragoman::ptx::Called(
      {.function = "cudaGraphExecDestroy", .kind = CallKind::kDestroy, .executable = graph},
      [&](Device&) { return Drop(HandleKind::kExecutable, graph, &Objects::Get().graphs); });
}

}  // extern "C"
