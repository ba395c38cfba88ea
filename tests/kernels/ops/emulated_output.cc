#include "tests/kernels/cuda_emulation/emulation.h"
// First, for the new names are for the .cu alone.
#include "tests/kernels/ops/emulated_ops.h"

#define FoldStoredLogits EmulatedFoldStoredLogits
#include "kernels/ops/output_layer_cuda.cu"
#undef FoldStoredLogits

#include "kernels/ops/output_epilogue.cuh"

namespace dragoman::cuda {
namespace {

constexpr int kRowsOfBlock = 128;

// All of the fused kernel but the tensor cores: the products are read, each lane taking those that
// the tensor cores would leave in its registers.
template <int kEntries>
__global__ void FoldProductsKernel(FusedWork work, const float* products, int vocabulary) {
  const auto thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 4;
  const int first_row =
      static_cast<int>(blockIdx.y) * kRowsOfBlock + thread / 32 * 16 + thread % 32 / 4;
  const int rows = *work.rows.count;
  FoldRange<kEntries>(
      work, first_row, static_cast<int>(blockIdx.x), lane, [&](int tile, float(&x)[128]) {
        for (int i = 0; i < 128; ++i) {
          const int row = first_row + i % 4 / 2 * 8;
          const int column = tile * kTileColumns + i / 4 * 8 + 2 * lane + i % 2;
          x[i] = row < rows && column < vocabulary ? products[int64_t{row} * vocabulary + column]
                                                   : 0.0F;
        }
      });
}

__global__ void MergeRowsKernel(FusedWork work, int list_entries) {
  alignas(16) __shared__ unsigned char memory[sizeof(FoldShared<kMergeThreads>)];
  MergeRow(work, static_cast<int>(blockIdx.x), list_entries, memory);
}

}  // namespace

Error EmulatedFusedFold(const FusedStep& step, const float* products, int max_k) {
  const int64_t blocks = (step.rows.rows + kRowsOfBlock - 1) / kRowsOfBlock;
  const int entries = max_k <= 4 ? 4 : max_k <= 8 ? 8 : 16;
  FusedWork work;
  work.rows = step.rows;
  work.slots = step.slots;
  work.queries = step.queries;
  work.folds = step.folds;
  work.tiles = TilesOf(step.vocabulary);
  work.ranges = DivideTiles(work.tiles, blocks, step.processors);
  std::vector<float> bias(static_cast<size_t>(work.tiles) * kTileColumns, -INFINITY);
  std::copy_n(step.bias, step.vocabulary, bias.data());
  work.bias = bias.data();
  const auto rows = static_cast<size_t>(blocks * kRowsOfBlock);
  std::vector<LogSum> sums(rows * static_cast<size_t>(work.tiles));
  std::vector<TokenScore> best(rows * static_cast<size_t>(work.ranges.ranges * entries));
  work.sums = sums.data();
  work.best = best.data();
  const dim3 grid(static_cast<unsigned>(work.ranges.ranges), static_cast<unsigned>(blocks));
  const Error folded = Launch(entries == 4   ? FoldProductsKernel<1>
                              : entries == 8 ? FoldProductsKernel<2>
                                             : FoldProductsKernel<4>,
                              grid, 256, 0, nullptr, work, products, step.vocabulary);
  if (folded != Error::kNone) return folded;
  return Launch(MergeRowsKernel, static_cast<unsigned>(step.rows.rows), kMergeThreads, 0, nullptr,
                work, entries);
}

}  // namespace dragoman::cuda
