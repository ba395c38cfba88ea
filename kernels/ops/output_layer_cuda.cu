// Folds materialized logits (output_fold.h), that is, reduces each row to a summary. One block of
// 512 threads reads a row once.
//
// With a vocabulary of V tokens, a row has 4 V bytes of logits in memory; the 4 V bytes of bias
// come from L2. With V = 58,101 the logits take 232 KB. So at 4.3 TB/s a chunk of 512 rows takes at
// least 28 us. A logit takes about 12 instructions and one ex2. So the 30 M logits of a chunk take
// some 14 us of the issue slots of 132 multiprocessors. Meanwhile the multiprocessor's other block
// loads. (Both times are computed, not measured.) A row that finds candidates in a stretch of 4,096
// columns needs about six more barriers. The expected number of tokens that enter a list of the k
// best is k (1 + ln(V / k)). Most of them are in the first stretch and are ranked together.
//
// Why one block per row: 512 threads with 8 loads each have 16 KB in flight. Two such blocks use
// all of a multiprocessor's share of the memory bandwidth. So that two blocks fit, a thread may
// have at most 64 registers. Sums need no second kernel. Logits and bias of a stretch are loaded
// while the previous stretch is folded, because a step of few rows is limited by latency, not by
// bytes. A load is 4 bytes, and adjacent threads load adjacent columns, so rows of any stride and
// alignment give the same bits.
#include "kernels/cuda/fold_threads.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/output_fold.h"
#include "kernels/ops/output_layer_cuda.h"

namespace dragoman::kernels::cuda {
namespace {

template <bool kBiased>
__global__ void __launch_bounds__(kMaterializedThreads, 2)
    FoldMaterializedKernel(float* logits, int64_t stride, const float* bias, int vocabulary,
                           MaterializedRows list, int64_t first, LogitRequest* requests,
                           LogitSummary* summaries) {
  AwaitKernelBefore();
  using Shared = MaterializedShared<kMaterializedThreads, kMaterializedPerThread>;
  alignas(Shared) __shared__ unsigned char memory[sizeof(Shared)];
  const int64_t i = first + blockIdx.x;
  if (i >= *list.count) return;
  const int32_t row = list.rows[i];
  LogitRequest& request = requests[row];
  float* const x = logits + blockIdx.x * stride;
  const bool keep = request.logits != nullptr;
  const FoldThreads<kMaterializedThreads> group;
  FoldLogits<kBiased>(group, *reinterpret_cast<Shared*>(memory), x, bias, vocabulary, request, keep,
                      summaries[row]);
  group.Sync();  // waits until all threads have read the request
  if (keep && group.rank() == 0) request.logits = x;
}

}  // namespace

Error FoldMaterializedLogits(Stream stream, float* logits, int64_t stride, const float* bias,
                             int vocabulary, const MaterializedRows& list, int64_t first, int64_t n,
                             LogitRequest* requests, LogitSummary* summaries) {
  if (n == 0) return Error::kNone;
  const auto kernel =
      bias != nullptr ? FoldMaterializedKernel<true> : FoldMaterializedKernel<false>;
  return LaunchEarly(kernel, static_cast<unsigned>(n), kMaterializedThreads, 0, stream, logits,
                     stride, bias, vocabulary, list, first, requests, summaries);
}

}  // namespace dragoman::kernels::cuda
