// Several networks of one target vocabulary as one program, for executors that run a list of operations
// and know no ensembles: the members' operations one after the other, on buffers and weights of their
// own, their layers in one page of K and V, and one output (EnsembleOutputOp).
//
// Pure; the programs are copied, the weights shared.
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

// Alignments are the first member's; max_positions is the least of all. UNIMPLEMENTED, naming the
// member by its number, where members cannot share pages: another width of K and V, or biases by
// distance for another number of positions. REQUIRES: 2 to kMaxEnsembleMembers of one vocabulary,
// weights above 0; they are divided by their sum.
absl::StatusOr<Program> JoinPrograms(const std::vector<EnsembleNetwork>& members,
                                     kernels::MeanKind mean);

// The numbers of JoinPrograms' weights.
class JoinedWeights final : public Weights {
 public:
  explicit JoinedWeights(const std::vector<EnsembleNetwork>& members);
  absl::Status Read(WeightId id, int64_t first, int64_t count, float* to) const override;
  void Release(WeightId id) const override;
  absl::Status Check() const override;

 private:
  struct Member {
    std::shared_ptr<const Weights> weights;
    WeightId first = 0;  // of the joined program
  };
  const Member& MemberOf(WeightId id) const;

  std::vector<Member> members_;
};

}  // namespace dragoman::engine
