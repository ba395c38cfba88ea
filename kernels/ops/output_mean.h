// The output layers of an ensemble (SEARCH.md b.1): computes a row's summary from the weighted mean
// of several models' predictions. With p_m = softmax(logits of member m) and weights w_m that sum
// to 1, scores are
//
//   kProbability     log(sum of w_m p_m)
//   kLogProbability  sum of w_m log(p_m), normalised again only if a request asks
//
// The members' logits are folded (reduced to a LogitSummary) in tiles, each while it is in the
// cache. No member's logits are stored for the whole vocabulary. Those of the mean are stored only
// for requests that ask for them.
//
// The fields of LogitRequest mean the same as for one model: `scale` and `excluded` act on every
// member before its softmax, `mask_first` acts on the mean. `logits` receives a row x such that the
// score is x * scale minus the summary's normaliser.
//
// A row's summary depends only on that row of every member, its request and the weights. It is
// bit-equal whatever the other rows are, for any number of rows and threads.
//
// Not thread-safe: the object has buffers of its own. The layers are borrowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/mean_kind.h"
#include "kernels/base/op_context.h"
#include "kernels/ops/output_layer.h"
#include "kernels/search/row.h"

namespace dragoman::kernels {

struct OutputMember {
  const OutputLayer* layer = nullptr;
  float weight = 0;
};

class OutputMean {
 public:
  // REQUIRES: 1 to kMaxEnsembleMembers members, whose layers have one vocabulary and one type;
  // weights > 0 that sum to 1.
  OutputMean(std::vector<OutputMember> members, MeanKind kind);

  // Like OutputLayer::ScratchFloats.
  size_t ScratchFloats(int64_t max_rows) const;

  // hidden[m] has `rows` rows with the d numbers of member m's layer. `requests` and `summaries`
  // have `rows` entries.
  void Fold(OpContext& context, const float* const* hidden, int64_t rows,
            const LogitRequest* requests, LogitSummary* summaries);

  // Returns the number of bytes of the object's own buffers.
  int64_t bytes() const;

 private:
  struct Scratch;
  struct Pass;

  size_t members() const { return members_.size(); }
  int64_t blocks() const;
  size_t FloatsFor(int64_t rows) const;
  Scratch Divide(float* memory, int64_t rows) const;
  // Computes every member's normalisers and stores them in log_sums_.
  void FoldMembers(OpContext& context, const float* const* hidden, int64_t rows,
                   const LogitRequest* requests);
  void FoldRows(OpContext& context, const float* const* hidden, int64_t rows,
                const LogitRequest* requests, LogitSummary* summaries);
  void FoldBlockOfRows(const Pass& pass, int64_t block, const Scratch& scratch) const;
  void FoldLogProbabilities(const Pass& pass, int64_t block, int64_t row, float* const* logits,
                            const Scratch& scratch) const;
  void FoldProbabilities(const Pass& pass, int64_t block, int64_t row, float* const* logits,
                         const Scratch& scratch) const;
  // Returns log(sum of w_m exp(logits[m][column] - log_sums[m])). Rounding does not make it larger
  // than the largest logits[m][column] - log_sums[m].
  float LogOfMean(const float* const* logits, const float* log_sums, int64_t column) const;

  const std::vector<OutputMember> members_;
  const MeanKind kind_;

  // Buffers for the rows that are folded together.
  std::vector<LogitRequest> plain_;      // [rows]
  std::vector<LogitSummary> of_member_;  // [rows]
  std::vector<float> log_sums_;          // [rows, members]
  std::vector<uint8_t> bad_;             // [rows]: a member's logit was NaN or +inf
};

}  // namespace dragoman::kernels
