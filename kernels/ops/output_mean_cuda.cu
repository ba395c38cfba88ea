// Computes the mean of the predictions of an ensemble's members from their materialized logits, and
// reduces ("folds") it to a summary per row. The mean and the fold have a kernel each, with a block
// of 512 threads for each row. A single kernel would need too many registers.
//
// Each member's logits of a row are read once for the member's normaliser. The mean of
// log-probabilities reads them once more. The mean of probabilities reads them twice more: first to
// find the largest term, so that nothing underflows. The fold reads the mean once. All reads after
// the first may come from L2, because a row of 58,101 tokens is 232 KB for each member.
#include <cmath>

#include "kernels/cuda/fold_threads.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/ops/output_fold.h"
#include "kernels/ops/output_mean_cuda.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kAtOnce = kMaterializedPerThread;  // number of columns that a thread loads at once

struct MeanShared {
  FoldShared<kMaterializedThreads> fold;
  float log_sums[kMaxEnsembleMembers];
};

// One row of the logits of one member of the ensemble. Excluded ids are -inf already.
struct MemberRow {
  const float* logits;
  const float* bias;
  int vocabulary;
  float scale;

  // Loads kAtOnce scaled logits: those of the columns `first`, first + kMaterializedThreads and so
  // on; -inf for columns after the vocabulary's end.
  __device__ void Load(int64_t first, float (&x)[kAtOnce]) const {
    // All loads come before the first addition, so that one wait is enough for all.
    float added[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int64_t column = first + int64_t{i} * kMaterializedThreads;
      x[i] = column < vocabulary ? logits[column] : -INFINITY;
      added[i] = column < vocabulary && bias != nullptr ? bias[column] : 0;
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      if (bias != nullptr) x[i] += added[i];
      x[i] *= scale;
    }
  }
};

// Returns the log-probability of logit x. Returns NaN for a bad logit, so that the row's summary
// reports it.
__device__ float LogProbability(float x, float log_sum) {
  if (IsBadLogit(x)) return NAN;
  return log_sum == -INFINITY ? -INFINITY : x - log_sum;
}

// Returns the row of member m of the ensemble, which begins at `offset`.
__device__ MemberRow RowOf(const EnsembleLogits& ensemble, int m, int64_t offset, int vocabulary,
                           float scale) {
  const MemberLogits& member = ensemble.members[m];
  return {member.logits + offset, member.bias, vocabulary, scale};
}

// Sets mean[i] to the log of the weighted mean of the members' probabilities, for the columns that
// MemberRow::Load(first) loads.
__device__ void MeanOfProbabilities(const EnsembleLogits& ensemble, const float* log_sums,
                                    int64_t offset, int vocabulary, float scale, int64_t first,
                                    float (&mean)[kAtOnce]) {
  float most[kAtOnce];
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) {
    most[i] = -INFINITY;
    mean[i] = 0;
  }
  for (int m = 0; m < ensemble.count; ++m) {
    float x[kAtOnce];
    RowOf(ensemble, m, offset, vocabulary, scale).Load(first, x);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const float score = LogProbability(x[i], log_sums[m]);
      if (score != score) mean[i] = NAN;  // the sum below keeps the NaN
      most[i] = score > most[i] ? score : most[i];
    }
  }
  for (int m = 0; m < ensemble.count; ++m) {
    float x[kAtOnce];
    RowOf(ensemble, m, offset, vocabulary, scale).Load(first, x);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const float largest = most[i] == -INFINITY ? 0.0F : most[i];
      const float score = LogProbability(x[i], log_sums[m]);
      mean[i] += ensemble.members[m].weight * FoldExp(score - largest);
    }
  }
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) {
    // Rounding must not make the mean larger than its largest term.
    const float log_mean = most[i] + std::log(mean[i]);
    mean[i] = log_mean > most[i] ? most[i] : log_mean;
  }
}

// Sets mean[i] to the weighted mean of the members' log-probabilities, for the columns that
// MemberRow::Load(first) loads.
__device__ void MeanOfLogProbabilities(const EnsembleLogits& ensemble, const float* log_sums,
                                       int64_t offset, int vocabulary, float scale, int64_t first,
                                       float (&mean)[kAtOnce]) {
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) mean[i] = 0;
  for (int m = 0; m < ensemble.count; ++m) {
    float x[kAtOnce];
    RowOf(ensemble, m, offset, vocabulary, scale).Load(first, x);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      mean[i] += ensemble.members[m].weight * LogProbability(x[i], log_sums[m]);
    }
  }
}

// Computes the mean of a row and writes it to the first member's row of logits.
__global__ void __launch_bounds__(kMaterializedThreads, 2)
    MeanLogitsKernel(const __grid_constant__ EnsembleLogits ensemble, int64_t stride,
                     int vocabulary, MaterializedRows list, int64_t first,
                     const LogitRequest* requests) {
  AwaitKernelBefore();
  alignas(MeanShared) __shared__ unsigned char memory[sizeof(MeanShared)];
  MeanShared& shared = *reinterpret_cast<MeanShared*>(memory);
  const int64_t i = first + blockIdx.x;
  if (i >= *list.count) return;
  const FoldThreads<kMaterializedThreads> group;
  const LogitRequest& request = requests[list.rows[i]];
  const float scale = request.scale;
  const int64_t offset = blockIdx.x * stride;
  const int64_t stretch = int64_t{kAtOnce} * group.size();

  // Sets excluded logits to -inf in memory, because this launch may overwrite the logits.
  for (int m = 0; m < ensemble.count; ++m) {
    for (int32_t e = group.rank(); e < request.excluded.count; e += group.size()) {
      ensemble.members[m].logits[offset + request.excluded.ids[e]] = -INFINITY;
    }
  }
  group.Sync();
  for (int m = 0; m < ensemble.count; ++m) {
    const MemberRow of_member = RowOf(ensemble, m, offset, vocabulary, scale);
    LogSum sum;
    for (int64_t at = group.rank(); at < vocabulary; at += stretch) {
      float x[kAtOnce];
      of_member.Load(at, x);
      Merge(sum, SumOf(x, true));
    }
    const LogSum all = SumOfGroup(group, shared.fold, sum);
    if (group.rank() == 0) shared.log_sums[m] = LogSumValue(all);
  }
  group.Sync();

  float* const mean = ensemble.members[0].logits + offset;
  for (int64_t at = group.rank(); at < vocabulary; at += stretch) {
    float x[kAtOnce];
    if (ensemble.mean == MeanKind::kProbability) {
      MeanOfProbabilities(ensemble, shared.log_sums, offset, vocabulary, scale, at, x);
    } else {
      MeanOfLogProbabilities(ensemble, shared.log_sums, offset, vocabulary, scale, at, x);
    }
#pragma unroll
    for (int c = 0; c < kAtOnce; ++c) {
      const int64_t column = at + int64_t{c} * group.size();
      if (column < vocabulary) mean[column] = x[c] / scale;  // the fold multiplies by scale
    }
  }
}

// Folds the means, which are log-probabilities already. So the normaliser becomes a sum of 1,
// unless the request masks ids before the softmax.
__global__ void __launch_bounds__(kMaterializedThreads, 2)
    FoldMeanKernel(float* means, int64_t stride, int vocabulary, MaterializedRows list,
                   int64_t first, LogitRequest* requests, LogitSummary* summaries) {
  AwaitKernelBefore();
  using Shared = MaterializedShared<kMaterializedThreads, kMaterializedPerThread>;
  alignas(Shared) __shared__ unsigned char memory[sizeof(Shared)];
  const int64_t i = first + blockIdx.x;
  if (i >= *list.count) return;
  const int32_t row = list.rows[i];
  LogitRequest& request = requests[row];
  float* const mean = means + blockIdx.x * stride;
  const FoldThreads<kMaterializedThreads> group;
  FoldLogits<false>(group, *reinterpret_cast<Shared*>(memory), mean, nullptr, vocabulary, request,
                    false, summaries[row]);
  group.Sync();  // waits until all threads have read the request
  if (group.rank() != 0) return;
  LogSum& normaliser = summaries[row].normaliser;
  if (!request.mask_first && normaliser.max > -INFINITY) normaliser = LogSum{0.0F, 1.0F};
  if (request.logits != nullptr) request.logits = mean;
}

}  // namespace

Error FoldMeanLogits(Stream stream, const EnsembleLogits& ensemble, int64_t stride, int vocabulary,
                     const MaterializedRows& list, int64_t first, int64_t n, LogitRequest* requests,
                     LogitSummary* summaries) {
  if (n == 0) return Error::kNone;
  const auto rows = static_cast<unsigned>(n);
  const Error error = LaunchEarly(MeanLogitsKernel, rows, kMaterializedThreads, 0, stream, ensemble,
                                  stride, vocabulary, list, first, requests);
  if (error != Error::kNone) return error;
  return LaunchEarly(FoldMeanKernel, rows, kMaterializedThreads, 0, stream,
                     ensemble.members[0].logits, stride, vocabulary, list, first, requests,
                     summaries);
}

}  // namespace dragoman::kernels::cuda
