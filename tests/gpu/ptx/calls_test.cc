// Breaks every rule for calls of the runtime, and tests planned errors.
#include "tests/gpu/ptx/calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dragoman::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A fixture with two devices, of which the first one is current.
class PtxCalls : public ::testing::Test {
 protected:
  void SetUp() override { SetCount(2); }
  void TearDown() override {
    Calls::Get().StopPlanned();
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    SetCount(1);
  }

  // Returns the findings since the last call, and resets the devices' errors.
  static std::vector<std::string> Found() {
    Device& device = Device::Get();
    const std::lock_guard lock(device.mutex());
    std::vector<std::string> texts;
    for (const Finding& finding : device.TakeFindings()) texts.push_back(finding.Text());
    return texts;
  }
  static cudaStream_t NewStream() {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    return stream;
  }
  static cudaEvent_t NewEvent() {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDefault), cudaSuccess);
    return event;
  }
  static void* NewMemory(size_t bytes = 64) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
    return memory;
  }
  static void Begin(cudaStream_t stream,
                    cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
    ASSERT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
  }
  // Ends a capture and destroys its graph.
  static cudaError_t End(cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream, &graph);
    EXPECT_EQ(graph == nullptr, error != cudaSuccess);
    if (graph != nullptr) {
      EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    }
    return error;
  }
  static void InAnotherThread(const std::function<void()>& act) { std::thread(act).join(); }

 private:
  static void SetCount(int count) {
    Device& device = Device::Get();
    const std::lock_guard lock(device.mutex());
    device.SetCount(count);
  }
};

TEST_F(PtxCalls, AnAllocationInACaptureIsFoundAndTheCaptureIsLost) {
  const cudaStream_t stream = NewStream();
  Begin(stream);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(End(stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_THAT(
      Found(),
      ElementsAre("illegal in a capture: an allocation while the thread captures, which CUDA "
                  "prohibits; call cudaMalloc"));
  Begin(stream);
  EXPECT_EQ(End(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(PtxCalls, WaitsQueriesAndFreeingInACaptureAreFound) {
  const cudaStream_t stream = NewStream();
  const cudaStream_t other = NewStream();
  const cudaEvent_t event = NewEvent();
  void* const memory = NewMemory();
  const std::vector<std::pair<std::string, std::function<cudaError_t()>>> calls = {
      {"cudaStreamSynchronize", [&] { return cudaStreamSynchronize(stream); }},
      {"cudaStreamSynchronize", [&] { return cudaStreamSynchronize(other); }},
      {"cudaEventSynchronize", [&] { return cudaEventSynchronize(event); }},
      {"cudaEventQuery", [&] { return cudaEventQuery(event); }},
      {"cudaDeviceSynchronize", [&] { return cudaDeviceSynchronize(); }},
      {"cudaFree", [&] { return cudaFree(memory); }},
      {"cudaMemcpy", [&] { return cudaMemcpy(memory, memory, 1, cudaMemcpyDefault); }}};
  for (const auto& [function, call] : calls) {
    Begin(stream);
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported) << function;
    EXPECT_EQ(End(stream), cudaErrorStreamCaptureInvalidated) << function;
    EXPECT_THAT(Found(), ElementsAre(HasSubstr("illegal in a capture"))) << function;
  }
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  for (const cudaStream_t made : {stream, other}) EXPECT_EQ(cudaStreamDestroy(made), cudaSuccess);
}

// CUDA permits such calls in a capture, but launchers must not make them.
TEST_F(PtxCalls, AnAttributeThatIsSetInACaptureIsFound) {
  const cudaStream_t stream = NewStream();
  Begin(stream);
  EXPECT_EQ(cudaFuncSetAttribute(&stream, cudaFuncAttributeMaxDynamicSharedMemorySize, 1),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  const cudaEvent_t event = NewEvent();
  EXPECT_EQ(End(stream), cudaSuccess);
  EXPECT_THAT(Found(),
              ElementsAre(HasSubstr("setting an attribute of a kernel while the thread captures"),
                          HasSubstr("selecting a device while the thread captures"),
                          HasSubstr("making a stream, an event or a graph while")));
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(PtxCalls, AnotherThreadMayAllocateInTheModeThreadLocalAlone) {
  const cudaStream_t stream = NewStream();
  Begin(stream);
  InAnotherThread([] { EXPECT_EQ(cudaFree(NewMemory()), cudaSuccess); });
  EXPECT_EQ(End(stream), cudaSuccess);
  EXPECT_THAT(Found(), IsEmpty());
  Begin(stream, cudaStreamCaptureModeGlobal);
  InAnotherThread([] {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
  });
  EXPECT_EQ(End(stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_THAT(Found(), ElementsAre(HasSubstr("while another thread captures in the mode global")));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(PtxCalls, AnotherThreadDoesNotWaitForWhatIsCapturedNorForItsDevice) {
  const cudaStream_t stream = NewStream();
  Begin(stream);
  InAnotherThread(
      [&] { EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported); });
  EXPECT_EQ(End(stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_THAT(Found(), ElementsAre(HasSubstr("a call for a stream that another thread captures")));
  Begin(stream);
  InAnotherThread([] {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  });
  EXPECT_EQ(End(stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_THAT(Found(),
              ElementsAre(HasSubstr("a wait for a device while one of its streams is captured")));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(PtxCalls, AWrongDeviceIsFound) {
  const cudaStream_t stream = NewStream();
  const cudaEvent_t event = NewEvent();
  void* const memory = NewMemory();
  EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(memory, 1, 64, stream), cudaSuccess);
  EXPECT_THAT(
      Found(),
      ElementsAre("wrong device: stream of device 0 while device 1 is the thread's current one; "
                  "call cudaMemsetAsync; 2 times"));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_THAT(Found(), ElementsAre(HasSubstr("stream of device 0"), HasSubstr("event of device 0"),
                                   HasSubstr("memory of device 0")));
  // CUDA refuses this call.
  const cudaStream_t of_second = NewStream();
  EXPECT_EQ(cudaEventRecord(event, of_second), cudaErrorInvalidResourceHandle);
  EXPECT_THAT(Found(), ElementsAre(HasSubstr("call cudaEventRecord")));
  EXPECT_EQ(cudaStreamDestroy(of_second), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(PtxCalls, AGraphOfAnotherDeviceIsFoundAndRefused) {
  const cudaStream_t stream = NewStream();
  Begin(stream);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  const cudaStream_t of_second = NewStream();
  EXPECT_EQ(cudaGraphLaunch(executable, of_second), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(of_second), cudaSuccess);
  EXPECT_THAT(Found(), ElementsAre(HasSubstr("executable graph of device 0 while device 1")));
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(PtxCalls, WhatIsUsedOrFreedAfterItsEndIsFound) {
  const cudaStream_t stream = NewStream();
  const cudaEvent_t event = NewEvent();
  void* const memory = NewMemory();
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventSynchronize(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_THAT(Found(),
              ElementsAre(HasSubstr("memory is freed that was freed before, or never allocated"),
                          HasSubstr("event is used that was destroyed before"),
                          HasSubstr("stream is destroyed that was destroyed before"),
                          HasSubstr("stream is used that was destroyed before"),
                          HasSubstr("event is used that was destroyed before, or never made")));
}

TEST_F(PtxCalls, WhatIsNotFreedIsFound) {
  Calls::Get().CheckFreed();
  ASSERT_THAT(Found(), IsEmpty());
  const cudaStream_t stream = NewStream();
  const cudaEvent_t event = NewEvent();
  void* const memory = NewMemory();
  void* of_host = nullptr;
  ASSERT_EQ(cudaHostAlloc(&of_host, 64, cudaHostAllocMapped), cudaSuccess);
  Begin(stream);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cublasLtHandle_t blas = nullptr;
  ASSERT_EQ(cublasLtCreate(&blas), CUBLAS_STATUS_SUCCESS);
  Calls::Get().CheckFreed();
  EXPECT_THAT(Found(),
              ElementsAre("not freed: 1 allocations of device 0, in all 64 bytes; call cudaMalloc",
                          "not freed: 1 pieces of the host's memory; call cudaHostAlloc",
                          "not freed: 1 streams; call cudaStreamCreate",
                          "not freed: 1 events; call cudaEventCreate",
                          "not freed: 1 graphs; call cudaStreamEndCapture",
                          "not freed: 1 handles and descriptors of cuBLASLt; call cublasLtCreate"));
  EXPECT_EQ(cublasLtDestroy(blas), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(of_host), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  Calls::Get().CheckFreed();
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(PtxCalls, APlannedErrorIsOfOneCall) {
  Calls::Get().Plan({.at = 2});
  void* const first = NewMemory();
  void* second = nullptr;
  EXPECT_EQ(cudaMalloc(&second, 64), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(Calls::Get().StopPlanned(), "cudaMalloc");
  // An error planned for one function. A call that frees memory does so even if it fails.
  Calls::Get().Plan({.at = 1, .function = "cudaFree"});
  void* const third = NewMemory();
  EXPECT_EQ(cudaFree(third), cudaErrorMemoryAllocation);
  EXPECT_EQ(Calls::Get().StopPlanned(), "cudaFree");
  Calls::Get().Plan({.at = 1, .function = "cublasLtCreate"});
  cublasLtHandle_t blas = nullptr;
  EXPECT_EQ(cublasLtCreate(&blas), CUBLAS_STATUS_ALLOC_FAILED);
  Calls::Get().CheckFreed();
  EXPECT_THAT(Found(), IsEmpty());
  // A planned error that no call reaches.
  Calls::Get().Plan({.at = 9, .function = "cudaMalloc"});
  EXPECT_EQ(cudaFree(NewMemory()), cudaSuccess);
  EXPECT_EQ(Calls::Get().StopPlanned(), "");
}

TEST_F(PtxCalls, ALastingErrorIsOfOneDeviceAndOfAllItsCalls) {
  const cudaStream_t stream = NewStream();
  void* const memory = NewMemory();
  Calls::Get().Plan(
      {.function = "cudaMemsetAsync", .error = cudaErrorIllegalAddress, .lasting = true});
  EXPECT_EQ(cudaMemsetAsync(memory, 1, 64, stream), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  void* more = nullptr;
  EXPECT_EQ(cudaMalloc(&more, 64), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaFree(memory), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaFree(NewMemory()), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(0), cudaErrorIllegalAddress);
  Calls::Get().CheckFreed();
  EXPECT_THAT(Found(), IsEmpty());  // the devices' errors were reset
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaFree(NewMemory()), cudaSuccess);
}

TEST_F(PtxCalls, AnErrorAtTheEndOfACaptureEndsIt) {
  const cudaStream_t stream = NewStream();
  Begin(stream);
  Calls::Get().Plan({.function = "cudaStreamEndCapture"});
  EXPECT_EQ(End(stream), cudaErrorMemoryAllocation);
  EXPECT_EQ(Calls::Get().StopPlanned(), "cudaStreamEndCapture, in a capture");
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  Calls::Get().CheckFreed();
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(PtxCalls, CallsAreRecordedInTheirOrder) {
  const cudaStream_t stream = NewStream();
  void* const memory = NewMemory(32);
  const uint64_t before = Calls::Get().total();
  Calls::Get().Record(true);
  EXPECT_EQ(cudaMemsetAsync(memory, 1, 32, stream), cudaSuccess);
  Begin(stream);
  EXPECT_EQ(cudaMemsetAsync(memory, 1, 32, stream), cudaSuccess);
  EXPECT_EQ(End(stream), cudaSuccess);
  InAnotherThread([] { EXPECT_EQ(cudaSetDevice(1), cudaSuccess); });
  Calls::Get().Record(false);
  const std::vector<RecordedCall> calls = Calls::Get().recorded();
  std::vector<std::string> functions;
  for (const RecordedCall& call : calls) functions.emplace_back(call.function);
  ASSERT_THAT(functions, ElementsAre("cudaMemsetAsync", "cudaStreamBeginCapture", "cudaMemsetAsync",
                                     "cudaStreamEndCapture", "cudaGraphDestroy", "cudaSetDevice"));
  EXPECT_EQ(calls[0].number, before + 1);
  EXPECT_EQ(calls[0].bytes, 32U);
  EXPECT_EQ(calls[0].stream, NumberOf(stream));
  EXPECT_FALSE(calls[0].captures);
  EXPECT_TRUE(calls[2].captures && calls[2].stream_is_captured);
  EXPECT_EQ(calls[4].thread, calls[0].thread);
  EXPECT_NE(calls[5].thread, calls[0].thread);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(PtxCalls, PlacesAreTheSameForTheSameLine) {
  // Volatile, so that the compiler does not unroll the loop into two places.
  const volatile int times = 2;
  Calls::Get().WatchPlaces(true);
  for (int i = 0; i < times; ++i) EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  Calls::Get().WatchPlaces(false);
  const std::vector<uint64_t> places = Calls::Get().places();
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_NE(places[0], places[2]);
}

}  // namespace
}  // namespace dragoman::ptx
