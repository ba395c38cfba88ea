// The output layers of an ensemble (output_mean.h) on a device, by the materialized method: the
// logits of every member are materialized, and two kernels compute and fold their mean.
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
  const float* bias = nullptr;  // [vocabulary] f32, may contain -inf; nullptr: none
  float weight = 0;             // above 0; those of all members sum to 1
};

// Plain values over device memory, passed to the kernel by value.
struct EnsembleLogits {
  MemberLogits members[kMaxEnsembleMembers];
  int32_t count = 0;
  MeanKind mean = MeanKind::kProbability;
};

// Folds the mean of the members' logits for the rows list.rows[first + i], i < n; stride >=
// vocabulary. Requests and summaries are as for FoldMaterializedLogits; `scale`, `excluded` and
// `mask_first` act as in output_mean.h. Overwrites the logits. If a row's request.logits is not
// null, it is set to the first member's row of logits. That row then has numbers x such that the
// score is x * scale minus the normaliser.
//
// The order of sums depends on the vocabulary and the members only, so a row's bits depend only on
// that row.
Error FoldMeanLogits(Stream stream, const EnsembleLogits& ensemble, int64_t stride, int vocabulary,
                     const MaterializedRows& list, int64_t first, int64_t n, LogitRequest* requests,
                     LogitSummary* summaries);

}  // namespace dragoman::kernels::cuda
