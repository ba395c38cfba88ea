// The part of the fused output layer (output_layer_cuda.h) that all cards share. A step runs two
// kernels. The first one, in output_layer_sm90.cu or output_layer_mma.cu, depends on the card and
// computes the parts of each row (fused_parts.h). The second one, here, merges the parts to the
// row's summary. For quantized products, a kernel that runs before both quantizes the hidden rows.
// The weights are quantized when the layer is created.
//
// The code is in an unnamed namespace, because both .cu files include it and have their own
// kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/quantization.cuh"
#include "kernels/ops/fused_parts.h"
#include "kernels/ops/output_epilogue.cuh"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/ops/quantize_rows.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kFusedBlockRows = 128;  // the number of rows that a block computes
// The lengths of a row's list of best tokens. There is a kernel for each length.
constexpr int kFusedLists[] = {4, 8, 16};

// The minimum number of blocks of MergeFusedKernel on a multiprocessor. The compiler would choose
// the same number by itself, but without this bound it spills a register on sm_80.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kMergeBlocks = 8;  // these use all threads of a multiprocessor
#else
constexpr int kMergeBlocks = 12;
#endif

// The scales by which sums of quantized products are multiplied to get logits. `rows` has a scale
// for each hidden row; `columns` has one for each column (token) up to the end of the last tile.
// The pointers are null if the products are not quantized.
struct QuantizedScales {
  const float* rows = nullptr;
  const float* columns = nullptr;
};

// Multiplies the sums x of a tile's products, in the order that output_epilogue.cuh defines, by the
// scales of the rows `row` and row + 8 and of the columns. Rows from `rows` on use the last row's
// scale; their logits are ignored. Reads the rows' scales again for each tile, because there are no
// registers to keep them.
__device__ inline void ApplyScales(const QuantizedScales& scales, int row, int rows, int tile,
                                   int lane, float (&x)[128]) {
  float factor[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    factor[half] = __ldg(scales.rows + min(row + 8 * half, rows - 1));
  }
  const float* const columns = scales.columns + tile * kTileColumns + 2 * lane;
#pragma unroll
  for (int g = 0; g < 32; ++g) {
    const float2 c = __ldg(reinterpret_cast<const float2*>(columns + 8 * g));
    // __fmul_rn prevents a fused multiply-add with the bias, so that the logits have the same bits
    // as those of StoreLogits.
    x[4 * g] = __fmul_rn(x[4 * g], factor[0] * c.x);
    x[4 * g + 1] = __fmul_rn(x[4 * g + 1], factor[0] * c.y);
    x[4 * g + 2] = __fmul_rn(x[4 * g + 2], factor[1] * c.x);
    x[4 * g + 3] = __fmul_rn(x[4 * g + 3], factor[1] * c.y);
  }
}

// Computes the summary of a row from its parts. The grid has one block for each row.
__global__ void __launch_bounds__(kMergeThreads, kMergeBlocks)
    MergeFusedKernel(const __grid_constant__ FusedWork work, int list_entries) {
  AwaitKernelBefore();
  alignas(16) __shared__ unsigned char memory[sizeof(FoldShared<kMergeThreads>)];
  MergeRow(work, static_cast<int>(blockIdx.x), list_entries, memory);
}

// The base class of the layers for the cards. Owns the bias and, for quantized products, the
// weights. The workspace has (max, sum) of each row and tile, then the list of best tokens of each
// row and range of tiles, then the quantized rows and their scales.
class FoldedOutput : public FusedOutput {
 public:
  ~FoldedOutput() override {
    for (void* const held : {static_cast<void*>(bias_), static_cast<void*>(quantized_weight_),
                             static_cast<void*>(column_scales_)}) {
      if (held != nullptr) static_cast<void>(cudaFree(held));
    }
  }
  FoldedOutput(const FoldedOutput&) = delete;
  FoldedOutput& operator=(const FoldedOutput&) = delete;

  int64_t bytes() const final {
    const int64_t columns = int64_t{tiles_} * kTileColumns * static_cast<int64_t>(sizeof(float));
    return quantized_ == QuantizedType::kNone ? columns : 2 * columns + int64_t{vocabulary_} * d_;
  }
  QuantizedType products() const final { return quantized_; }
  int64_t WorkspaceBytes(int64_t max_rows) const final {
    const int64_t blocks = RowBlocks(max_rows);
    const int64_t row_bytes = d_ + static_cast<int64_t>(sizeof(float));
    return PartsBytes(blocks) +
           (quantized_ == QuantizedType::kNone ? 0 : blocks * kFusedBlockRows * row_bytes);
  }
  Error Fold(Stream stream, void* workspace, const void* hidden, const StepRows& rows,
             const SlotView* slots, int max_k, const LogitRequest* requests,
             LogitSummary* summaries) const final;
  Error StoreLogits(Stream stream, void* workspace, const void* hidden, int64_t rows, float* logits,
                    int64_t stride) const final;

 protected:
  // `type` is the type of the hidden rows and of the weights before any quantization. `waves` is
  // passed to DivideTiles.
  FoldedOutput(ComputeType type, QuantizedType quantized, int d, int vocabulary, int waves)
      : type_(type),
        quantized_(quantized),
        d_(d),
        vocabulary_(vocabulary),
        tiles_(TilesOf(vocabulary)),
        waves_(waves) {}

  // Reads the device's limits, quantizes the weights if the products are quantized, and copies the
  // bias. Sets *weight to the weights that the products read, and *shared_limit to the largest
  // number of bytes of shared memory of a block. Returns "" on success, otherwise the reason of the
  // failure.
  std::string PrepareParts(const void** weight, const float* bias, int* shared_limit);

  // Launches the kernel that computes the parts of `work`, with `row_blocks` blocks of
  // kFusedBlockRows rows for each range of tiles. The elements of `hidden` have the type that the
  // products multiply.
  virtual Error FoldTiles(Stream stream, const void* hidden, const QuantizedScales& scales,
                          const FusedWork& work, int64_t row_blocks, int list_entries) const = 0;

  ComputeType type() const { return type_; }
  int d() const { return d_; }
  int vocabulary() const { return vocabulary_; }

 private:
  static int64_t RowBlocks(int64_t rows) { return (rows + kFusedBlockRows - 1) / kFusedBlockRows; }
  int64_t SumsBytes(int64_t blocks) const {
    return blocks * kFusedBlockRows * tiles_ * static_cast<int64_t>(sizeof(LogSum));
  }
  // Returns the bytes that the sums and lists of `blocks` blocks of rows take; a multiple of 128.
  int64_t PartsBytes(int64_t blocks) const {
    const int64_t most = int64_t{waves_} * processors_;
    const int64_t ranges = blocks > most ? blocks : most;
    return SumsBytes(blocks) +
           ranges * kFusedBlockRows * kMaxFusedTopK * static_cast<int64_t>(sizeof(TokenScore));
  }
  // Where the quantized rows of a step and their scales are in the workspace.
  struct QuantizedPlace {
    uint8_t* rows;
    float* scales;
  };
  QuantizedPlace QuantizedPlaceIn(void* workspace, int64_t blocks) const {
    uint8_t* const rows = static_cast<uint8_t*>(workspace) + PartsBytes(blocks);
    return {rows, reinterpret_cast<float*>(rows + blocks * kFusedBlockRows * d_)};
  }

  const ComputeType type_;
  const QuantizedType quantized_;
  const int d_;
  const int vocabulary_;
  const int tiles_;
  const int waves_;
  int processors_ = 0;
  float* bias_ = nullptr;
  uint8_t* quantized_weight_ = nullptr;  // [vocabulary, d]; nullptr without quantized products
  float* column_scales_ = nullptr;  // [tiles * kTileColumns]; nullptr without quantized products
};

std::string FoldedOutput::PrepareParts(const void** weight, const float* bias, int* shared_limit) {
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
  if (status == cudaSuccess && quantized_ != QuantizedType::kNone) {
    const auto bytes = static_cast<size_t>(vocabulary_) * static_cast<size_t>(d_);
    status = cudaMalloc(reinterpret_cast<void**>(&quantized_weight_), bytes);
    if (status == cudaSuccess) {
      status = cudaMalloc(reinterpret_cast<void**>(&column_scales_), columns * sizeof(float));
    }
    if (status == cudaSuccess) status = cudaMemset(column_scales_, 0, columns * sizeof(float));
    if (status == cudaSuccess) {
      status =
          static_cast<cudaError_t>(QuantizeRows(nullptr, type_, quantized_, *weight, vocabulary_,
                                                nullptr, d_, quantized_weight_, column_scales_));
    }
    *weight = quantized_weight_;
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
  QuantizedScales scales;
  if (quantized_ != QuantizedType::kNone) {
    const QuantizedPlace place = QuantizedPlaceIn(workspace, blocks);
    const Error quantized = QuantizeRows(stream, type_, quantized_, hidden, rows.rows, rows.count,
                                         d_, place.rows, place.scales);
    if (quantized != Error::kNone) return quantized;
    hidden = place.rows;
    scales = {place.scales, column_scales_};
  }
  const Error launched = FoldTiles(stream, hidden, scales, work, blocks, list_entries);
  if (launched != Error::kNone) return launched;
  return LaunchEarly(MergeFusedKernel, static_cast<unsigned>(rows.rows), kMergeThreads, 0, stream,
                     work, list_entries);
}

Error FoldedOutput::StoreLogits(Stream stream, void* workspace, const void* hidden, int64_t rows,
                                float* logits, int64_t stride) const {
  if (quantized_ == QuantizedType::kNone) return static_cast<Error>(cudaErrorInvalidValue);
  const QuantizedPlace place = QuantizedPlaceIn(workspace, RowBlocks(rows));
  const Error quantized =
      QuantizeRows(stream, type_, quantized_, hidden, rows, nullptr, d_, place.rows, place.scales);
  if (quantized != Error::kNone) return quantized;
  return MultiplyQuantizedRows(stream, quantized_, place.rows, place.scales, rows,
                               quantized_weight_, column_scales_, vocabulary_, d_, logits, stride);
}

}  // namespace
}  // namespace dragoman::kernels::cuda
