// The searches and schedulers of the production backend.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/decode/phrase_tables.h"
#include "engine/schedule/segment.h"
#include "tests/kernels/decide/slot_bench.h"
#include "tests/oracle/production_backend.h"
#include "tests/oracle/schedule_cases.h"

namespace dragoman::oracle {
namespace {

// Wider than production's: for beams beyond the wire's.
using Lane = uint16_t;
using Bench = testing::SlotBench<Lane>;

absl::StatusOr<SearchOptions> ToOptions(const SearchCase& c) {
  if (c.max_len < 1) return absl::InvalidArgumentError("max_len below 1");
  if (c.beam > UINT16_MAX) return absl::InvalidArgumentError("a beam above 65535");
  SearchOptions o;
  o.beam = c.beam;
  o.num_hypotheses = c.beam;
  o.max_tokens = c.max_len;
  o.min_tokens = c.min_len;
  o.eos = c.model.eos;
  o.forced_eos = c.forced_eos == CaseForcedEos::kModel  ? ForcedEos::kModel
                 : c.forced_eos == CaseForcedEos::kZero ? ForcedEos::kZero
                                                        : ForcedEos::kNone;
  o.length_penalty = static_cast<float>(c.length_alpha);
  o.no_repeat_ngram = c.no_repeat_ngram;
  return o;
}

std::vector<Hypothesis> BeamOf(const Bench& bench) {
  std::vector<Hypothesis> beam;
  const ConstraintSet& constraints = bench.state.rules.constraints;
  for (int32_t lane = 0; bench.running() && lane < bench.state.live; ++lane) {
    Hypothesis h;
    h.tokens = bench.Prefix(lane);
    h.log_prob = bench.view.LogProbOf(lane);
    h.finished = false;
    if (constraints.phrases > 0) h.bank = Bank(bench.view.Constraints(lane));
    beam.push_back(h);
  }
  // What has ended and is still on the beam; at the end of a constrained search its results.
  for (int32_t e = 0; e < bench.state.options.beam; ++e) {
    const FinishedHypothesis& f = bench.view.Finished(e);
    const bool last = f.status == EntryStatus::kDone && !bench.running() && !f.unmet &&
                      bench.state.options.finalisation == Finalisation::kKeep;
    if (f.status != EntryStatus::kWaiting && !last) continue;
    Hypothesis h;
    for (int32_t i = 0; i < f.length; ++i) h.tokens.push_back(bench.view.FinishedToken(e, i));
    h.finished = f.last_token == bench.state.options.eos;
    if (!h.finished) h.tokens.push_back(f.last_token);
    h.log_prob = f.log_prob;
    h.bank = constraints.total();
    beam.push_back(h);
  }
  return beam;
}

absl::StatusOr<SearchOutcome> Search(const SearchCase& c, const SearchOptions& options,
                                     const std::vector<Tokens>& phrases) {
  size_t constraint_tokens = 0;
  for (const Tokens& phrase : phrases) constraint_tokens += phrase.size();
  if (constraint_tokens > static_cast<size_t>(kMaxConstraintTokens)) {
    return absl::InvalidArgumentError("too many constraint tokens");
  }
  const std::vector<float> divisor =
      LengthDivisors(options.max_tokens, options.length_penalty, options.penalty);
  const ConstraintTable constraints(phrases);
  const ForbiddenTable forbidden(c.avoid);
  SegmentRules rules;
  rules.divisor = divisor.data();
  rules.prefix = c.forced_prefix.data();
  rules.prefix_length = static_cast<int32_t>(c.forced_prefix.size());
  rules.constraints = constraints.set();
  rules.forbidden = forbidden.automaton();
  rules.excluded = forbidden.excluded();
  Bench bench(options, rules, c.model.vocabulary, /*start_token=*/c.model.vocabulary);
  SearchOutcome outcome;
  for (; bench.running(); ++outcome.steps) {
    bench.Fold([&](std::span<const int32_t> prefix) {
      const std::vector<double> logs = c.model.LogProbs(prefix);
      return std::vector<float>(logs.begin(), logs.end());
    });
    bench.Decide(SoloTeam());
    outcome.trace.push_back(BeamOf(bench));
  }
  if (bench.state.status != SlotStatus::kDone) return absl::InternalError("a row held a NaN");
  for (const Bench::Result& r : bench.Results()) {
    outcome.nbest.push_back({r.tokens, r.log_prob, r.score, r.has_eos, 0});
    outcome.constraints_met = outcome.constraints_met && !r.unmet;
  }
  // Production counts the hypotheses on the beam, those that have ended among them.
  outcome.expansions = bench.state.expansions - bench.state.noop_expansions;
  outcome.noop_expansions = bench.state.noop_expansions;
  return outcome;
}

}  // namespace

absl::StatusOr<SearchOutcome> ProductionBackend::VarBeam(const VarBeamCase& c) {
  auto o = ToOptions(c);
  if (!o.ok()) return o.status();
  o->finalisation = Finalisation::kOnBeam;
  o->max_candidates = c.max_candidates.value_or(0);
  o->prune = static_cast<float>(c.delta);
  if (c.relative_threshold.has_value()) {
    o->prune = std::min(o->prune, static_cast<float>(-std::log(*c.relative_threshold)));
  }
  return Search(c, *o, {});
}

absl::StatusOr<SearchOutcome> ProductionBackend::ImmediateBeam(const SearchCase& c) {
  auto o = ToOptions(c);
  if (!o.ok()) return o.status();
  o->stop_rule = StopRule::kFirstK;
  return Search(c, *o, {});
}

absl::StatusOr<SearchOutcome> ProductionBackend::Dba(const DbaCase& c) {
  auto o = ToOptions(c);
  if (!o.ok()) return o.status();
  o->finalisation = Finalisation::kKeep;
  o->constraint_prune = static_cast<float>(c.prune);
  o->allocation = c.stripe ? Allocation::kStripe : Allocation::kBanks;
  return Search(c, *o, c.phrases);
}

absl::StatusOr<SearchOutcome> ProductionBackend::BatchBeam(const BatchBeamCase& c) {
  auto o = ToOptions(c);
  if (!o.ok()) return o.status();
  o->finalisation = Finalisation::kKeep;
  o->penalty = LengthPenalty::kGnmt;
  o->temperature = static_cast<float>(c.softmax_smoothing);
  o->eos_penalty = static_cast<float>(c.eos_penalty);
  auto outcome = Search(c, *o, {});
  if (outcome.ok()) {
    outcome->nbest.resize(std::min(outcome->nbest.size(), static_cast<size_t>(c.nbest)));
  }
  return outcome;
}

absl::Status ProductionBackend::Schedule(const Json& c) { return testing::RunScheduleCase(c); }

}  // namespace dragoman::oracle
