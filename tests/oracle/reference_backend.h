// Runs the oracle cases on the reference decoders of tests/engine/support.
#pragma once

#include "tests/engine/support/reference_model.h"
#include "tests/oracle/search_backend.h"

namespace dragoman::oracle {

// Uses the model's log-probabilities as logits. Borrows the model.
testing::ReferenceModel ToReferenceModel(const CaseModel& model);

class ReferenceBackend : public SearchBackend {
 public:
  absl::StatusOr<SearchOutcome> VarBeam(const VarBeamCase& c) override;
  absl::StatusOr<SearchOutcome> ImmediateBeam(const SearchCase& c) override;
  absl::StatusOr<SearchOutcome> Dba(const DbaCase& c) override;
  absl::StatusOr<SearchOutcome> BatchBeam(const BatchBeamCase& c) override;
  absl::StatusOr<LengthNorms> LengthNorm(double log_prob, int32_t real_tokens,
                                         double alpha) override;
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
  absl::StatusOr<std::vector<std::vector<Tokens>>> CacheIndirection(
      int32_t beam, const std::vector<Tokens>& parents) override;
  absl::StatusOr<Contexts> CrossAttention(const CrossAttentionCase& c) override;
  absl::StatusOr<Contexts> SplitAttention(const SplitAttentionCase& c) override;
  // UNIMPLEMENTED: there is no second scheduler.
  absl::Status Schedule(const Json& c) override;
};

}  // namespace dragoman::oracle
