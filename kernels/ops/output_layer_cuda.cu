// Materialized logits, folded in one pass (output_fold.h): a block of 512 threads to a row.
//
// Bytes per row: 4 V read once, 4 V of bias from L2; V = 58,101: 232 KB, at 4.3 TB/s a chunk of 512
// rows takes at least 28 us [counted]. About 12 instructions and one ex2 per logit: 30 M logits are
// some 14 us of the issue slots of 132 processors [counted], hidden behind the loads of the
// processor's other block. A row that finds candidates in a stretch of 4,096 columns pays a round
// of about six barriers. The expected number of entries is k (1 + ln(V / k)), most of them in the
// first stretch and ranked together.
//
// Why a block to a row: 512 threads x 8 loads under way are 16 KB, and two blocks saturate a
// processor's share of the memory (so at most 64 registers); sums need no second kernel. Logits and
// bias of a stretch are loaded while the previous one is folded, because a step of few rows is
// limited by latency, not by bytes. Loads are 4 bytes each, adjacent threads at adjacent columns,
// so that rows of any stride and alignment give the same bits.
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
  group.Sync();  // all have read the request
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
