// Joins the networks of an ensemble into one program, because the executor for GPUs runs only one
// program. All members have the same target vocabulary. The joined program has the operations of
// one member after the other, each with its own buffers and weights. A page of K and V contains the
// layers of all members, and one output operation combines the members' predictions
// (EnsembleOutputOp). Copies the members' programs and shares their weights.
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

// Returns the joined program. Alignments come from the first member. max_positions is the smallest
// of all members. EnsembleNetwork::weight of each member is divided by their sum. Returns
// UNIMPLEMENTED with the member's number if a member differs from the first one in the width of K
// and V, or has relative position biases for more positions than the joined program. REQUIRES: 2 to
// kMaxEnsembleMembers members with the same target vocabulary and weights above 0.
absl::StatusOr<Program> JoinPrograms(const std::vector<EnsembleNetwork>& members,
                                     kernels::MeanKind mean);

// The weight values of the program that JoinPrograms returns for the same members.
class JoinedWeights final : public Weights {
 public:
  explicit JoinedWeights(const std::vector<EnsembleNetwork>& members);
  absl::Status Read(WeightId id, int64_t first, int64_t count, float* to) const override;
  void Release(WeightId id) const override;
  absl::Status Check() const override;

 private:
  struct Member {
    std::shared_ptr<const Weights> weights;
    WeightId first = 0;  // the id of the member's first weight in the joined program
  };
  const Member& MemberOf(WeightId id) const;

  std::vector<Member> members_;
};

}  // namespace dragoman::engine
