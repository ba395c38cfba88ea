// Runs oracle cases on production code: kernels/search/ on one slot, and kernels/ops/.
#pragma once

#include "tests/oracle/case_search.h"
#include "tests/oracle/search_backend.h"

namespace dragoman::oracle {

class ProductionBackend : public SearchBackend {
 public:
  // INVALID_ARGUMENT: production does not support the options.
  absl::StatusOr<SearchOutcome> VarBeam(const VarBeamCase& c) override;
  absl::StatusOr<SearchOutcome> ImmediateBeam(const SearchCase& c) override;
  absl::StatusOr<SearchOutcome> Dba(const DbaCase& c) override;
  absl::StatusOr<SearchOutcome> BatchBeam(const BatchBeamCase& c) override;
  absl::StatusOr<LengthNorms> LengthNorm(double log_prob, int32_t real_tokens,
                                         double alpha) override;
  // Uses the output layer, with the logits as weights of a hidden state of one number.
  absl::StatusOr<FusedOutcome> FusedOutput(const FusedRow& row) override;
  absl::StatusOr<double> OnlineSoftmax(
      const std::vector<std::pair<double, double>>& parts) override;
  absl::StatusOr<std::vector<ConstraintView>> ConstraintStates(const std::vector<Tokens>& phrases,
                                                               const Tokens& tokens) override;
  absl::StatusOr<std::vector<int32_t>> BankAllocation(
      int32_t k, int32_t constraint_tokens, const std::vector<int32_t>& candidate_counts) override;
  absl::StatusOr<std::vector<int32_t>> StripeSelect(
      int32_t k, const std::vector<StripeCandidate>& candidates) override;
  absl::StatusOr<Tokens> AvoidForbidden(const std::vector<Tokens>& avoid, const Tokens& history,
                                        int32_t vocabulary) override;
  absl::StatusOr<Tokens> NoRepeatNgram(const Tokens& history, int32_t n) override;
  // Returns the ancestry after reorders of a slot whose lanes are all live.
  absl::StatusOr<std::vector<std::vector<Tokens>>> CacheIndirection(
      int32_t beam, const std::vector<Tokens>& parents) override;
  // Runs the production operation for two rows that read the same pages. Masked positions are
  // omitted, because attention is ragged.
  absl::StatusOr<Contexts> CrossAttention(const CrossAttentionCase& c) override;
  // Lets one lane write the prefix and another lane read it through its ancestry.
  absl::StatusOr<Contexts> SplitAttention(const SplitAttentionCase& c) override;
  // Runs the decode loop on a scripted model (schedule_cases.h).
  absl::Status Schedule(const Json& c) override;

 protected:
  // Runs a whole search on one slot of the host.
  virtual absl::StatusOr<SearchOutcome> Search(const CaseSearch& search);
};

}  // namespace dragoman::oracle
