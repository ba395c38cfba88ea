// The output layers of an ensemble on a device: what output_mean.h computes, by the materialized way. The
// logits of every member are materialized, and one kernel makes their mean and folds it.
#pragma once

#include <cstdint>

#include "kernels/base/mean_kind.h"
#include "kernels/cuda/launch.h"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/search/row.h"

namespace dragoman::kernels::cuda {

// Logits of one member, without the bias.
struct MemberLogits {
  float* logits = nullptr;      // [n, stride] f32
  const float* bias = nullptr;  // [vocabulary] f32, may hold -inf; nullptr: none
  float weight = 0;             // above 0; those of all members sum to 1
};

// Plain values over device memory, passed to the kernel by value.
struct EnsembleLogits {
  MemberLogits members[kMaxEnsembleMembers];
  int32_t count = 0;
  MeanKind mean = MeanKind::kProbability;
};

// Folds the mean of the members' logits of rows list.rows[first + i], i < n; stride >= vocabulary.
// Requests and summaries as those of FoldMaterializedLogits, and `scale`, `excluded`, `mask_first` mean
// what they mean in output_mean.h. The logits are used up. A row with request.logits not null finds in
// the first member's the row x for which x * scale less the normaliser is the score, and
// request.logits is set to it.
//
// Sums are made by a block of threads in an order fixed by the vocabulary and the members, so a row's
// bits depend on that row alone.
Error FoldMeanLogits(Stream stream, const EnsembleLogits& ensemble, int64_t stride, int vocabulary,
                     const MaterializedRows& list, int64_t first, int64_t n, LogitRequest* requests,
                     LogitSummary* summaries);

}  // namespace dragoman::kernels::cuda
