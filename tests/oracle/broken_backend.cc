#include "tests/oracle/broken_backend.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dragoman::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct NamedRule {
  BrokenRule rule;
  const char* name;
};
constexpr NamedRule kRules[] = {
    {BrokenRule::kNoDelta, "no absolute threshold"},
    {BrokenRule::kNoRelative, "no relative threshold"},
    {BrokenRule::kNoMaxCandidates, "no limit of children"},
    {BrokenRule::kForcedEosFree, "forced EOS is free"},
    {BrokenRule::kNoMinLength, "no least length"},
    {BrokenRule::kNoNgramBlocking, "no n-gram blocking"},
    {BrokenRule::kNoForcedPrefix, "no forced prefix"},
    {BrokenRule::kNoAvoidList, "no forbidden phrases"},
    {BrokenRule::kNoLengthNorm, "no length norm"},
    {BrokenRule::kOtherAllocation, "the other allocation"},
    {BrokenRule::kNoConstraintPruning, "no pruning of constrained beams"},
    {BrokenRule::kLastPhraseForgotten, "the last phrase is forgotten"},
    {BrokenRule::kNoSmoothing, "no softmax smoothing"},
    {BrokenRule::kNoEosPenalty, "no EOS penalty"},
    {BrokenRule::kForbiddenLeaveTheSum, "forbidden tokens leave the sum"},
    {BrokenRule::kNoUnwinding, "no unwinding"},
    {BrokenRule::kSurplusIsLost, "surplus slots are lost"},
    {BrokenRule::kOldTokensStay, "n-grams of the newest window only"},
    {BrokenRule::kTableNotGathered, "the cache table is not gathered"},
    {BrokenRule::kOtherOrder, "the other order of selection"},
    {BrokenRule::kNoWidthBudget, "no width budget"},
    {BrokenRule::kOtherTopUp, "the other rule of topping up"},
};

}  // namespace

std::vector<BrokenRule> AllBrokenRules() {
  std::vector<BrokenRule> all;
  for (const NamedRule& named : kRules) all.push_back(named.rule);
  return all;
}

std::string Name(BrokenRule rule) {
  for (const NamedRule& named : kRules) {
    if (named.rule == rule) return named.name;
  }
  return "unnamed rule";
}

void BrokenBackend::BreakSearch(SearchCase& c) const {
  if (Breaks(BrokenRule::kForcedEosFree) && c.forced_eos == CaseForcedEos::kModel) {
    c.forced_eos = CaseForcedEos::kZero;
  }
  if (Breaks(BrokenRule::kNoMinLength)) c.min_len = 0;
  if (Breaks(BrokenRule::kNoNgramBlocking)) c.no_repeat_ngram = 0;
  if (Breaks(BrokenRule::kNoForcedPrefix)) c.forced_prefix.clear();
  if (Breaks(BrokenRule::kNoAvoidList)) c.avoid.clear();
  if (Breaks(BrokenRule::kNoLengthNorm)) c.length_alpha = 0;
}

absl::StatusOr<SearchOutcome> BrokenBackend::VarBeam(const VarBeamCase& c) {
  VarBeamCase broken = c;
  BreakSearch(broken);
  if (Breaks(BrokenRule::kNoDelta)) broken.delta = kInfinity;
  if (Breaks(BrokenRule::kNoRelative)) broken.relative_threshold.reset();
  if (Breaks(BrokenRule::kNoMaxCandidates)) broken.max_candidates.reset();
  return whole_.VarBeam(broken);
}

absl::StatusOr<SearchOutcome> BrokenBackend::ImmediateBeam(const SearchCase& c) {
  SearchCase broken = c;
  BreakSearch(broken);
  return whole_.ImmediateBeam(broken);
}

absl::StatusOr<SearchOutcome> BrokenBackend::Dba(const DbaCase& c) {
  DbaCase broken = c;
  BreakSearch(broken);
  if (Breaks(BrokenRule::kOtherAllocation)) broken.stripe = !broken.stripe;
  if (Breaks(BrokenRule::kNoConstraintPruning)) broken.prune = kInfinity;
  if (Breaks(BrokenRule::kLastPhraseForgotten) && broken.phrases.size() > 1) {
    broken.phrases.pop_back();
  }
  return whole_.Dba(broken);
}

absl::StatusOr<SearchOutcome> BrokenBackend::BatchBeam(const BatchBeamCase& c) {
  BatchBeamCase broken = c;
  BreakSearch(broken);
  if (Breaks(BrokenRule::kNoSmoothing)) broken.softmax_smoothing = 1;
  if (Breaks(BrokenRule::kNoEosPenalty)) broken.eos_penalty = 1;
  return whole_.BatchBeam(broken);
}

absl::StatusOr<LengthNorms> BrokenBackend::LengthNorm(double log_prob, int32_t real_tokens,
                                                      double alpha) {
  return whole_.LengthNorm(log_prob, real_tokens, Breaks(BrokenRule::kNoLengthNorm) ? 0 : alpha);
}

absl::StatusOr<FusedOutcome> BrokenBackend::FusedOutput(const FusedRow& row) {
  FusedRow broken = row;
  if (Breaks(BrokenRule::kForbiddenLeaveTheSum)) {
    for (const int32_t token : row.forbid) broken.bias[static_cast<size_t>(token)] = -kInfinity;
  }
  return whole_.FusedOutput(broken);
}

absl::StatusOr<double> BrokenBackend::OnlineSoftmax(
    const std::vector<std::pair<double, double>>& parts) {
  return whole_.OnlineSoftmax(parts);
}

absl::StatusOr<std::vector<ConstraintView>> BrokenBackend::ConstraintStates(
    const std::vector<Tokens>& phrases, const Tokens& tokens) {
  if (!Breaks(BrokenRule::kNoUnwinding)) return whole_.ConstraintStates(phrases, tokens);
  // A token that makes no progress is taken for one that begins nothing.
  constexpr int32_t kOther = 1'000'000'000;
  Tokens broken;
  for (const int32_t token : tokens) {
    auto views = whole_.ConstraintStates(phrases, broken);
    if (!views.ok()) return views;
    const Tokens& allowed = views->back().allowed;
    const bool progress = std::find(allowed.begin(), allowed.end(), token) != allowed.end();
    broken.push_back(progress ? token : kOther);
  }
  return whole_.ConstraintStates(phrases, broken);
}

absl::StatusOr<std::vector<int32_t>> BrokenBackend::BankAllocation(
    int32_t k, int32_t constraint_tokens, const std::vector<int32_t>& candidate_counts) {
  if (!Breaks(BrokenRule::kSurplusIsLost)) {
    return whole_.BankAllocation(k, constraint_tokens, candidate_counts);
  }
  const auto banks = static_cast<int32_t>(candidate_counts.size());
  std::vector<int32_t> slots(candidate_counts.size(), k / banks);
  slots.back() += k % banks;
  for (size_t b = 0; b < slots.size(); ++b) slots[b] = std::min(slots[b], candidate_counts[b]);
  return slots;
}

absl::StatusOr<std::vector<int32_t>> BrokenBackend::StripeSelect(
    int32_t k, const std::vector<StripeCandidate>& candidates) {
  if (!Breaks(BrokenRule::kOtherAllocation)) return whole_.StripeSelect(k, candidates);
  std::vector<StripeCandidate> one_bank = candidates;
  for (StripeCandidate& c : one_bank) c.bank = 0;
  return whole_.StripeSelect(k, one_bank);
}

absl::StatusOr<Tokens> BrokenBackend::AvoidForbidden(const std::vector<Tokens>& avoid,
                                                     const Tokens& history, int32_t vocabulary) {
  return whole_.AvoidForbidden(Breaks(BrokenRule::kNoAvoidList) ? std::vector<Tokens>() : avoid,
                               history, vocabulary);
}

absl::StatusOr<Tokens> BrokenBackend::NoRepeatNgram(const Tokens& history, int32_t n) {
  if (Breaks(BrokenRule::kNoNgramBlocking)) return whole_.NoRepeatNgram(history, 0);
  if (!Breaks(BrokenRule::kOldTokensStay) || n < 1) return whole_.NoRepeatNgram(history, n);
  const auto window = std::min(history.size(), 2 * static_cast<size_t>(n) - 1);
  return whole_.NoRepeatNgram(
      Tokens(history.end() - static_cast<std::ptrdiff_t>(window), history.end()), n);
}

absl::StatusOr<std::vector<std::vector<Tokens>>> BrokenBackend::CacheIndirection(
    int32_t beam, const std::vector<Tokens>& parents) {
  if (!Breaks(BrokenRule::kTableNotGathered)) return whole_.CacheIndirection(beam, parents);
  std::vector<Tokens> own = parents;
  for (Tokens& step : own) {
    for (size_t lane = 0; lane < step.size(); ++lane) step[lane] = static_cast<int32_t>(lane);
  }
  return whole_.CacheIndirection(beam, own);
}

absl::StatusOr<Contexts> BrokenBackend::CrossAttention(const CrossAttentionCase& c) {
  return whole_.CrossAttention(c);
}

absl::StatusOr<Contexts> BrokenBackend::SplitAttention(const SplitAttentionCase& c) {
  return whole_.SplitAttention(c);
}

absl::Status BrokenBackend::Schedule(const Json& c) {
  Json broken = c;
  Json& input = broken["input"];
  const auto exchange = [&](const char* name, const char* a, const char* b) {
    if (!input.is_object() || !input.contains(name)) return;
    input[name] = input[name] == a ? b : a;
  };
  if (Breaks(BrokenRule::kOtherOrder)) exchange("order", "min", "fifo");
  if (Breaks(BrokenRule::kOtherTopUp)) exchange("rule", "half", "any");
  if (Breaks(BrokenRule::kNoWidthBudget) && input.is_object()) input.erase("width_budget");
  return whole_.Schedule(broken);
}

}  // namespace dragoman::oracle
