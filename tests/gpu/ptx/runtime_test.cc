// Tests the runtime that replaces CUDA's: what programs rely on in addition to kernels. Findings of
// the device also fail these tests.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

namespace dragoman::ptx {
namespace {

std::vector<unsigned char> Downloaded(const void* from, size_t bytes) {
  std::vector<unsigned char> values(bytes);
  EXPECT_EQ(cudaMemcpy(values.data(), from, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  return values;
}

TEST(PtxRuntime, CopiesStayWithinTheirAllocations) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 16), cudaSuccess);
  const std::vector<unsigned char> values(17, 3);
  EXPECT_EQ(cudaMemcpy(memory, values.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(Downloaded(static_cast<char*>(memory) + 15, 1)[0], 3);
  EXPECT_EQ(cudaMemcpy(memory, values.data(), 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST(PtxRuntime, AGraphDoesWhatWasCapturedWhenItIsLaunched) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 2), cudaSuccess);
  ASSERT_EQ(cudaMemset(memory, 1, 2), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(memory, 7, 1, stream), cudaSuccess);
  EXPECT_EQ(
      cudaMemcpyAsync(static_cast<char*>(memory) + 1, memory, 1, cudaMemcpyDeviceToDevice, stream),
      cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 2U);
  EXPECT_EQ(Downloaded(memory, 2), (std::vector<unsigned char>{1, 1}));
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  // The copy is on another stream.
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(Downloaded(memory, 2), (std::vector<unsigned char>{7, 7}));
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

}  // namespace
}  // namespace dragoman::ptx
