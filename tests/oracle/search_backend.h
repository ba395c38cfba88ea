// The interface between oracle cases and decoders, with one method for each kind of case and plain
// values. The same case runs on the reference decoders and on production code.
//
// Log-probabilities are natural logs. Token lists contain neither start token nor EOS. A backend
// that cannot run a case returns the reason as a status; the case then fails.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/oracle/fields.h"

namespace dragoman::oracle {

// A table of next-token probabilities.
struct CaseModel {
  int32_t vocabulary = 0;
  int32_t eos = 0;
  std::vector<double> start;
  std::map<int32_t, std::vector<double>> next;         // by the last token
  std::map<Tokens, std::vector<double>> whole_prefix;  // has precedence over `next`

  // Returns one number for each token; all -inf after a prefix that is not in the table.
  std::vector<double> LogProbs(std::span<const int32_t> prefix) const;
};

enum class CaseForcedEos : uint8_t { kModel, kZero, kNone };

// The fields that all kinds of search have.
struct SearchCase {
  CaseModel model;
  int32_t beam = 1;
  int32_t max_len = 1;  // real tokens
  int32_t min_len = 0;
  double length_alpha = 1;
  CaseForcedEos forced_eos = CaseForcedEos::kModel;
  int32_t no_repeat_ngram = 0;
  Tokens forced_prefix;
  std::vector<Tokens> avoid;
};

struct VarBeamCase : SearchCase {
  double delta = std::numeric_limits<double>::infinity();
  std::optional<int32_t> max_candidates;
  std::optional<double> relative_threshold;
};

struct DbaCase : SearchCase {
  std::vector<Tokens> phrases;
  bool stripe = true;  // else banks
  double prune = std::numeric_limits<double>::infinity();
};

// length_alpha is the GNMT length penalty. No EOS is forced.
struct BatchBeamCase : SearchCase {
  int32_t nbest = 1;
  double softmax_smoothing = 1;
  double eos_penalty = 1;
};

struct Hypothesis {
  Tokens tokens;
  double log_prob = 0;
  double score = 0;
  bool finished = true;  // by EOS
  int32_t bank = 0;      // in traces of constrained searches
};

struct SearchOutcome {
  std::vector<Hypothesis> nbest;
  int32_t steps = 0;
  int64_t expansions = 0;
  int64_t noop_expansions = 0;
  bool constraints_met = true;
  // The beam after every step; empty if the backend does not keep it. For messages and --trace.
  std::vector<std::vector<Hypothesis>> trace;
};

struct FusedRow {
  std::vector<double> logits, bias;
  int32_t n = 1;
  Tokens forbid;
};
struct FusedOutcome {
  double lse = 0;
  std::vector<std::pair<int32_t, double>> nbest;  // token, log-probability
};

struct LengthNorms {
  double divide_by_len = 0, gnmt = 0;
};

struct ConstraintView {
  int32_t bank = 0;
  bool finished = false;
  Tokens allowed;  // ascending
};

struct StripeCandidate {
  int32_t bank = 0;
  double score = 0;
  int32_t id = 0;
};

// y = x W + b. Heads are blocks of adjacent columns. Mask 0: not attended to.
struct CrossAttentionCase {
  std::vector<double> query;
  Matrix memory, wq, wk, wv;
  std::vector<double> bq, bk, bv;
  int32_t heads = 1;
  Tokens mask;
};

// One head, scaled by 1/sqrt(width).
struct SplitAttentionCase {
  std::vector<double> query;
  Matrix k_prefix, v_prefix, k_gen, v_gen;
};

// The contexts of a backend's forms of one operation, by the form's name. All must agree.
using Contexts = std::map<std::string, std::vector<double>>;

class SearchBackend {
 public:
  virtual ~SearchBackend() = default;

  // a, d, f
  virtual absl::StatusOr<SearchOutcome> VarBeam(const VarBeamCase& c) = 0;
  virtual absl::StatusOr<SearchOutcome> ImmediateBeam(const SearchCase& c) = 0;
  virtual absl::StatusOr<SearchOutcome> Dba(const DbaCase& c) = 0;
  virtual absl::StatusOr<SearchOutcome> BatchBeam(const BatchBeamCase& c) = 0;
  virtual absl::StatusOr<LengthNorms> LengthNorm(double log_prob, int32_t real_tokens,
                                                 double alpha) = 0;
  // b
  virtual absl::StatusOr<FusedOutcome> FusedOutput(const FusedRow& row) = 0;
  // Merges (max, sum of exp) pairs.
  virtual absl::StatusOr<double> OnlineSoftmax(
      const std::vector<std::pair<double, double>>& parts) = 0;
  // d. Returns the state before the first token and after each one.
  virtual absl::StatusOr<std::vector<ConstraintView>> ConstraintStates(
      const std::vector<Tokens>& phrases, const Tokens& tokens) = 0;
  virtual absl::StatusOr<std::vector<int32_t>> BankAllocation(
      int32_t k, int32_t constraint_tokens, const std::vector<int32_t>& candidate_counts) = 0;
  // Returns ids in the order of choice.
  virtual absl::StatusOr<std::vector<int32_t>> StripeSelect(
      int32_t k, const std::vector<StripeCandidate>& candidates) = 0;
  // Returns ids in ascending order.
  virtual absl::StatusOr<Tokens> AvoidForbidden(const std::vector<Tokens>& avoid,
                                                const Tokens& history, int32_t vocabulary) = 0;
  virtual absl::StatusOr<Tokens> NoRepeatNgram(const Tokens& history, int32_t n) = 0;
  // e. Returns [step][past step][beam]: the slot that is read.
  virtual absl::StatusOr<std::vector<std::vector<Tokens>>> CacheIndirection(
      int32_t beam, const std::vector<Tokens>& parents) = 0;
  virtual absl::StatusOr<Contexts> CrossAttention(const CrossAttentionCase& c) = 0;
  virtual absl::StatusOr<Contexts> SplitAttention(const SplitAttentionCase& c) = 0;
  // SEARCH.md a.4, c. Runs a scheduler's case with its kind, input and expected, and compares.
  virtual absl::Status Schedule(const Json& c) = 0;
};

}  // namespace dragoman::oracle
