#include "tests/oracle/reference_backend.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/engine/support/reference_constraints.h"
#include "tests/engine/support/reference_decode.h"
#include "tests/engine/support/reference_parts.h"
#include "tests/engine/support/reference_scores.h"

namespace dragoman::oracle {
namespace {

testing::ReferenceOptions ToOptions(const SearchCase& c) {
  testing::ReferenceOptions o;
  o.beam = c.beam;
  o.max_tokens = c.max_len;
  o.min_tokens = c.min_len;
  o.length_penalty = c.length_alpha;
  o.forced_eos = c.forced_eos == CaseForcedEos::kModel  ? testing::ReferenceForcedEos::kModel
                 : c.forced_eos == CaseForcedEos::kZero ? testing::ReferenceForcedEos::kZero
                                                        : testing::ReferenceForcedEos::kNone;
  o.no_repeat_ngram = c.no_repeat_ngram;
  o.forced_prefix = c.forced_prefix;
  o.forbidden = c.avoid;
  return o;
}

Hypothesis ToHypothesis(const testing::ReferenceHypothesis& h) {
  return {h.tokens, h.log_prob, h.score, h.has_eos, 0};
}

SearchOutcome ToOutcome(const testing::ReferenceResult& result) {
  SearchOutcome outcome;
  for (const auto& h : result.nbest) outcome.nbest.push_back(ToHypothesis(h));
  outcome.steps = result.steps;
  outcome.expansions = result.expansions;
  outcome.noop_expansions = result.noop_expansions;
  outcome.constraints_met = result.constraints_met;
  for (const testing::ReferenceTrace& step : result.trace) {
    std::vector<Hypothesis> beam;
    for (size_t i = 0; i < step.beam.size(); ++i) {
      beam.push_back(ToHypothesis(step.beam[i]));
      if (i < step.banks.size()) beam.back().bank = step.banks[i];
    }
    outcome.trace.push_back(beam);
  }
  return outcome;
}

}  // namespace

testing::ReferenceModel ToReferenceModel(const CaseModel& model) {
  return {model.eos, [&model](std::span<const int32_t> prefix) { return model.LogProbs(prefix); }};
}

absl::StatusOr<SearchOutcome> ReferenceBackend::VarBeam(const VarBeamCase& c) {
  testing::ReferenceOptions o = ToOptions(c);
  o.delta = c.delta;
  o.relative = c.relative_threshold.value_or(0);
  o.max_candidates = c.max_candidates.value_or(0);
  return ToOutcome(testing::ReferenceOnBeam(ToReferenceModel(c.model), o));
}

absl::StatusOr<SearchOutcome> ReferenceBackend::ImmediateBeam(const SearchCase& c) {
  testing::ReferenceOptions o = ToOptions(c);
  o.stop = testing::ReferenceStop::kFirstK;
  return ToOutcome(testing::ReferenceImmediate(ToReferenceModel(c.model), o));
}

absl::StatusOr<SearchOutcome> ReferenceBackend::Dba(const DbaCase& c) {
  testing::ReferenceOptions o = ToOptions(c);
  o.phrases = c.phrases;
  o.allocation =
      c.stripe ? testing::ReferenceAllocation::kStripe : testing::ReferenceAllocation::kBanks;
  o.constraint_prune = c.prune;
  return ToOutcome(testing::ReferenceDba(ToReferenceModel(c.model), o));
}

absl::StatusOr<SearchOutcome> ReferenceBackend::BatchBeam(const BatchBeamCase& c) {
  testing::ReferenceOptions o = ToOptions(c);
  o.norm = testing::ReferenceNorm::kGnmt;
  o.temperature = c.softmax_smoothing;
  o.eos_penalty = c.eos_penalty;
  testing::ReferenceResult result = testing::ReferenceKeep(ToReferenceModel(c.model), o);
  result.nbest.resize(std::min(result.nbest.size(), static_cast<size_t>(c.nbest)));
  return ToOutcome(result);
}

absl::StatusOr<LengthNorms> ReferenceBackend::LengthNorm(double log_prob, int32_t real_tokens,
                                                         double alpha) {
  testing::ReferenceOptions o;
  o.length_penalty = alpha;
  const auto length = static_cast<size_t>(real_tokens) + 1;
  LengthNorms norms;
  norms.divide_by_len = log_prob / testing::LengthDivisor(o, length);
  o.norm = testing::ReferenceNorm::kGnmt;
  norms.gnmt = log_prob / testing::LengthDivisor(o, length);
  return norms;
}

absl::StatusOr<FusedOutcome> ReferenceBackend::FusedOutput(const FusedRow& row) {
  std::vector<double> x = row.logits;
  for (size_t i = 0; i < x.size(); ++i) x[i] += row.bias[i];
  const std::vector<double> log_probs = testing::LogSoftmax(x);
  std::vector<std::pair<double, double>> parts;
  parts.reserve(x.size());
  for (const double v : x) parts.emplace_back(v, 1);
  FusedOutcome outcome;
  outcome.lse = testing::MergedLogSum(parts);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto token = static_cast<int32_t>(i);
    if (log_probs[i] == testing::kNegInf) continue;
    if (std::find(row.forbid.begin(), row.forbid.end(), token) != row.forbid.end()) continue;
    outcome.nbest.emplace_back(token, log_probs[i]);
  }
  std::sort(outcome.nbest.begin(), outcome.nbest.end(), [](const auto& a, const auto& b) {
    return std::make_tuple(-a.second, a.first) < std::make_tuple(-b.second, b.first);
  });
  outcome.nbest.resize(std::min(outcome.nbest.size(), static_cast<size_t>(row.n)));
  return outcome;
}

absl::StatusOr<double> ReferenceBackend::OnlineSoftmax(
    const std::vector<std::pair<double, double>>& parts) {
  return testing::MergedLogSum(parts);
}

absl::StatusOr<std::vector<ConstraintView>> ReferenceBackend::ConstraintStates(
    const std::vector<Tokens>& phrases, const Tokens& tokens) {
  testing::ReferenceConstraints state(phrases);
  std::vector<ConstraintView> views = {{state.bank(), state.finished(), state.Allowed()}};
  for (const int32_t token : tokens) {
    state.Advance(token);
    views.push_back({state.bank(), state.finished(), state.Allowed()});
  }
  return views;
}

absl::StatusOr<std::vector<int32_t>> ReferenceBackend::BankAllocation(
    int32_t k, int32_t, const std::vector<int32_t>& candidate_counts) {
  return testing::BankSlots(k, candidate_counts);
}

absl::StatusOr<std::vector<int32_t>> ReferenceBackend::StripeSelect(
    int32_t k, const std::vector<StripeCandidate>& candidates) {
  std::vector<testing::BankedCandidate> banked;
  banked.reserve(candidates.size());
  for (const StripeCandidate& c : candidates) banked.push_back({c.bank, c.score});
  std::vector<int32_t> ids;
  for (const size_t i : testing::StripeSelect(k, banked)) ids.push_back(candidates[i].id);
  return ids;
}

absl::StatusOr<Tokens> ReferenceBackend::AvoidForbidden(const std::vector<Tokens>& avoid,
                                                        const Tokens& history, int32_t) {
  return testing::CompletingTokens(avoid, history);
}

absl::StatusOr<Tokens> ReferenceBackend::NoRepeatNgram(const Tokens& history, int32_t n) {
  return testing::RepeatedNgramTokens(history, n);
}

absl::StatusOr<std::vector<std::vector<Tokens>>> ReferenceBackend::CacheIndirection(
    int32_t beam, const std::vector<Tokens>& parents) {
  return testing::CacheTables(beam, parents);
}

absl::StatusOr<Contexts> ReferenceBackend::CrossAttention(const CrossAttentionCase& c) {
  const testing::CrossAttention a{c.query, c.memory, c.wq, c.wk,    c.wv,
                                  c.bq,    c.bk,     c.bv, c.heads, c.mask};
  return Contexts{{"keys and values", testing::CrossAttentionContext(a)},
                  {"EL", testing::CrossAttentionContextEl(a)}};
}

absl::StatusOr<Contexts> ReferenceBackend::SplitAttention(const SplitAttentionCase& c) {
  return Contexts{{"one softmax", testing::SplitAttentionContext(c.query, c.k_prefix, c.v_prefix,
                                                                 c.k_gen, c.v_gen)}};
}

absl::Status ReferenceBackend::Schedule(const Json&) {
  return absl::UnimplementedError("the reference decoders have no scheduler");
}

}  // namespace dragoman::oracle
