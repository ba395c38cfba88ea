// Computes the output layers of an ensemble (output_mean.h) on a GPU. The logits of every member of
// the ensemble are written to memory. Then two kernels compute their mean and reduce it to a
// summary per row.
#pragma once

#include <cstdint>

#include "kernels/base/mean_kind.h"
#include "kernels/cuda/launch.h"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/search/row.h"

namespace dragoman::kernels::cuda {

// The logits of one member of the ensemble, without the bias.
struct MemberLogits {
  float* logits = nullptr;      // [n, stride] f32
  const float* bias = nullptr;  // [vocabulary] f32, may contain -inf; nullptr: none
  float weight = 0;             // above 0; the weights of all members sum to 1
};

// The logits of all members. Passed to the kernels by value; the pointers are to device memory.
struct EnsembleLogits {
  MemberLogits members[kMaxEnsembleMembers];
  int32_t count = 0;
  MeanKind mean = MeanKind::kProbability;
};

// Folds the mean of the members' predictions to a summary, for the rows list.rows[first + i], i <
// n. Requests and summaries are as for FoldMaterializedLogits. Their fields `scale`, `excluded` and
// `mask_first` act as in output_mean.h. Overwrites the logits. If a row's request.logits is not
// null, it is set to the first member's row of logits. The score of a token is then scale * (its
// number in that row) minus the normaliser. REQUIRES: stride >= vocabulary.
//
// The order of sums depends only on the vocabulary and on `ensemble`, so a row's bits depend only
// on that row.
Error FoldMeanLogits(Stream stream, const EnsembleLogits& ensemble, int64_t stride, int vocabulary,
                     const MaterializedRows& list, int64_t first, int64_t n, LogitRequest* requests,
                     LogitSummary* summaries);

}  // namespace dragoman::kernels::cuda
