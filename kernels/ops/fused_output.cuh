// The host's part of the fused output layers of all cards, and the merge. A kernel of the card's
// own (output_layer_sm90.cu, output_layer_mma.cu) leaves the parts of each row, and another one
// merges them.
//
// In an unnamed namespace, for each of the two files has kernels of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/fused_parts.h"
#include "kernels/ops/output_epilogue.cuh"
#include "kernels/ops/output_layer_cuda.h"

namespace dragoman::cuda {
namespace {

constexpr int kFusedBlockRows = 128;       // of a block of threads
constexpr int kFusedLists[] = {4, 8, 16};  // lengths of the lists that are instantiated

// Blocks on a multiprocessor that the merge has registers for, as many as ptxas would choose; but left
// to itself it spills one on sm_80.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kMergeBlocks = 8;  // all threads of one
#else
constexpr int kMergeBlocks = 12;
#endif

// A block to a row: the parts become its summary.
__global__ void __launch_bounds__(kMergeThreads, kMergeBlocks)
    MergeFusedKernel(const __grid_constant__ FusedWork work, int list_entries) {
  AwaitKernelBefore();
  alignas(16) __shared__ unsigned char memory[sizeof(FoldShared<kMergeThreads>)];
  MergeRow(work, static_cast<int>(blockIdx.x), list_entries, memory);
}

// Holds the bias and divides the workspace: (max, sum) of each row and tile, then lists of best
// tokens of each row and range.
class FoldedOutput : public FusedOutput {
 public:
  ~FoldedOutput() override { static_cast<void>(cudaFree(bias_)); }
  FoldedOutput(const FoldedOutput&) = delete;
  FoldedOutput& operator=(const FoldedOutput&) = delete;

  int64_t bytes() const final {
    return int64_t{tiles_} * kTileColumns * static_cast<int64_t>(sizeof(float));
  }
  int64_t WorkspaceBytes(int64_t max_rows) const final {
    const int64_t blocks = RowBlocks(max_rows);
    // There are at most so many blocks of threads for any number of rows up to max_rows.
    const int64_t most = int64_t{waves_} * processors_;
    const int64_t ranges = blocks > most ? blocks : most;
    return SumsBytes(blocks) +
           ranges * kFusedBlockRows * kMaxFusedTopK * static_cast<int64_t>(sizeof(TokenScore));
  }
  Error Fold(Stream stream, void* workspace, const void* hidden, const StepRows& rows,
             const SlotView* slots, int max_k, const LogitRequest* requests,
             LogitSummary* summaries) const final;

 protected:
  // `waves`: DivideTiles.
  FoldedOutput(int vocabulary, int waves)
      : vocabulary_(vocabulary), tiles_(TilesOf(vocabulary)), waves_(waves) {}

  // Asks the device, copies the bias and tells how much shared memory a block may have; "" or why
  // that failed.
  std::string PrepareParts(const float* bias, int* shared_limit);

  // Launches the kernel that leaves the parts of `work`, by `row_blocks` blocks of kFusedBlockRows
  // rows for each of work.ranges.
  virtual Error FoldTiles(Stream stream, const void* hidden, const FusedWork& work,
                          int64_t row_blocks, int list_entries) const = 0;

  int vocabulary() const { return vocabulary_; }

 private:
  static int64_t RowBlocks(int64_t rows) { return (rows + kFusedBlockRows - 1) / kFusedBlockRows; }
  int64_t SumsBytes(int64_t blocks) const {
    return blocks * kFusedBlockRows * tiles_ * static_cast<int64_t>(sizeof(LogSum));
  }

  const int vocabulary_;
  const int tiles_;
  const int waves_;
  int processors_ = 0;
  float* bias_ = nullptr;
};

std::string FoldedOutput::PrepareParts(const float* bias, int* shared_limit) {
  int device = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device);
  }
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  const auto columns = static_cast<size_t>(tiles_) * kTileColumns;
  const std::vector<float> beyond(columns - static_cast<size_t>(vocabulary_), -INFINITY);
  if (status == cudaSuccess) {
    status = cudaMalloc(reinterpret_cast<void**>(&bias_), columns * sizeof(float));
  }
  if (status == cudaSuccess) {
    const size_t bytes = static_cast<size_t>(vocabulary_) * sizeof(float);
    status = bias == nullptr ? cudaMemset(bias_, 0, bytes)
                             : cudaMemcpy(bias_, bias, bytes, cudaMemcpyDeviceToDevice);
  }
  if (status == cudaSuccess && !beyond.empty()) {
    status = cudaMemcpy(bias_ + vocabulary_, beyond.data(), beyond.size() * sizeof(float),
                        cudaMemcpyHostToDevice);
  }
  if (status == cudaSuccess) status = cudaStreamSynchronize(nullptr);
  return status == cudaSuccess ? "" : cudaGetErrorString(status);
}

Error FoldedOutput::Fold(Stream stream, void* workspace, const void* hidden, const StepRows& rows,
                         const SlotView* slots, int max_k, const LogitRequest* requests,
                         LogitSummary* summaries) const {
  if (rows.rows == 0) return Error::kNone;
  if (max_k < 0 || max_k > kMaxFusedTopK) return static_cast<Error>(cudaErrorInvalidValue);
  const int list_entries = max_k <= 4 ? 4 : max_k <= 8 ? 8 : 16;
  const int64_t blocks = RowBlocks(rows.rows);
  FusedWork work;
  work.rows = rows;
  work.slots = slots;
  work.requests = requests;
  work.summaries = summaries;
  work.bias = bias_;
  work.tiles = tiles_;
  work.ranges = DivideTiles(tiles_, blocks, processors_, waves_);
  work.sums = static_cast<LogSum*>(workspace);
  work.best =
      reinterpret_cast<TokenScore*>(static_cast<unsigned char*>(workspace) + SumsBytes(blocks));
  const Error launched = FoldTiles(stream, hidden, work, blocks, list_entries);
  if (launched != Error::kNone) return launched;
  return LaunchEarly(MergeFusedKernel, static_cast<unsigned>(rows.rows), kMergeThreads, 0, stream,
                     work, list_entries);
}

}  // namespace
}  // namespace dragoman::cuda
