// A backend that breaks one rule on purpose, which the cases must detect. It changes its input or
// its answer and passes the rest to another backend.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/search_backend.h"

namespace dragoman::oracle {

enum class BrokenRule : uint8_t {
  kNoDelta,          // ignores absolute thresholds
  kNoRelative,       // ignores relative thresholds
  kNoMaxCandidates,  // allows any number of children of one parent
  kForcedEosFree,    // EOS at the limit costs nothing
  kNoMinLength,
  kNoNgramBlocking,
  kNoForcedPrefix,
  kNoAvoidList,
  kNoLengthNorm,
  kOtherAllocation,  // swaps banks and stripes
  kNoConstraintPruning,
  kLastPhraseForgotten,
  kNoSmoothing,
  kNoEosPenalty,
  kForbiddenLeaveTheSum,  // removes them from the output layer's normaliser
  kNoUnwinding,           // restarts a broken partial match after the token that broke it
  kSurplusIsLost,         // a bank with more slots than candidates keeps them
  kOldTokensStay,         // the n-gram ban considers only the last window
  kTableNotGathered,      // lanes keep reading their own slots
  kOtherOrder,            // swaps shortest first and longest first
  kNoWidthBudget,
  kOtherTopUp,  // swaps half-empty and any free slot
};
// Returns all of them.
std::vector<BrokenRule> AllBrokenRules();
std::string Name(BrokenRule rule);

class BrokenBackend : public SearchBackend {
 public:
  // Borrows `whole`.
  BrokenBackend(BrokenRule rule, SearchBackend* whole) : rule_(rule), whole_(*whole) {}

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
  absl::Status Schedule(const Json& c) override;

 private:
  bool Breaks(BrokenRule rule) const { return rule_ == rule; }
  void BreakSearch(SearchCase& c) const;

  const BrokenRule rule_;
  SearchBackend& whole_;
};

}  // namespace dragoman::oracle
