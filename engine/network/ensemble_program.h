// Joins the networks of an ensemble, which have one target vocabulary, into one program, for
// executors that have no code for ensembles (GPUs). The program has the operations of one member
// after the other, each with its own buffers and weights. A page of K and V contains the layers of
// all members, and one output operation combines the members' predictions (EnsembleOutputOp). Pure.
// Copies the programs, shares the weights.
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

// Returns the joined program. Alignments are the first member's. max_positions is the smallest of
// all members. Divides the members' weights by their sum. Returns UNIMPLEMENTED with the member's
// number if a member differs from the first one in the width of K and V, or has biases by distance
// for more positions than the joined program. REQUIRES: 2 to kMaxEnsembleMembers members with one
// target vocabulary and weights above 0.
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
