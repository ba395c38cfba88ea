// Joins networks of one target vocabulary into one program, for executors without ensembles. The
// members' operations follow each other, with separate buffers and weights. Their layers share
// pages of K and V, and one output folds all (EnsembleOutputOp). Pure. Programs are copied, weights
// shared.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"
#include "kernels/base/mean_kind.h"

namespace dragoman::engine {

struct EnsembleNetwork {
  Program program;
  std::shared_ptr<const Weights> weights;
  double weight = 1;
};

// Takes alignments from the first member and the smallest max_positions. Returns UNIMPLEMENTED with
// the member's number if members cannot share pages: other widths of K and V, or biases by distance
// for another number of positions. REQUIRES: 2 to kMaxEnsembleMembers members of one vocabulary,
// weights above 0. Divides the weights by their sum.
absl::StatusOr<Program> JoinPrograms(const std::vector<EnsembleNetwork>& members,
                                     kernels::MeanKind mean);

// The values of the weights of JoinPrograms' program.
class JoinedWeights final : public Weights {
 public:
  explicit JoinedWeights(const std::vector<EnsembleNetwork>& members);
  absl::Status Read(WeightId id, int64_t first, int64_t count, float* to) const override;
  void Release(WeightId id) const override;
  absl::Status Check() const override;

 private:
  struct Member {
    std::shared_ptr<const Weights> weights;
    WeightId first = 0;  // in the joined program
  };
  const Member& MemberOf(WeightId id) const;

  std::vector<Member> members_;
};

}  // namespace dragoman::engine
