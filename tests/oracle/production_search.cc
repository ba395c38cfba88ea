// The searches and schedulers of the production backend.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/kernels/search/slot_harness.h"
#include "tests/oracle/case_search.h"
#include "tests/oracle/production_backend.h"
#include "tests/oracle/schedule_cases.h"

namespace dragoman::oracle {
namespace {

// Wider than production's byte, for beams above the API's limit.
using Lane = uint16_t;
using Harness = testing::SlotHarness<Lane>;

absl::StatusOr<kernels::SearchOptions> ToOptions(const SearchCase& c) {
  if (c.max_len < 1) return absl::InvalidArgumentError("max_len below 1");
  if (c.beam > UINT16_MAX) return absl::InvalidArgumentError("a beam above 65535");
  kernels::SearchOptions o;
  o.beam = c.beam;
  o.num_alternatives = c.beam;
  o.max_tokens = c.max_len;
  o.min_tokens = c.min_len;
  o.eos = c.model.eos;
  o.forced_eos = c.forced_eos == CaseForcedEos::kModel  ? kernels::ForcedEos::kModel
                 : c.forced_eos == CaseForcedEos::kZero ? kernels::ForcedEos::kZero
                                                        : kernels::ForcedEos::kNone;
  o.length_penalty = static_cast<float>(c.length_alpha);
  o.no_repeat_ngram = c.no_repeat_ngram;
  return o;
}

absl::Status CheckPhrases(const std::vector<Tokens>& phrases) {
  size_t tokens = 0;
  for (const Tokens& phrase : phrases) tokens += phrase.size();
  if (tokens <= static_cast<size_t>(kernels::kMaxConstraintTokens)) return absl::OkStatus();
  return absl::InvalidArgumentError("too many constraint tokens");
}

}  // namespace

absl::StatusOr<SearchOutcome> ProductionBackend::Search(const CaseSearch& search) {
  Harness harness(search.options, search.Rules(), search.model.vocabulary,
                  /*start_token=*/search.model.vocabulary);
  SearchOutcome outcome;
  for (; harness.running(); ++outcome.steps) {
    harness.Fold([&](std::span<const int32_t> prefix) { return search.Logits(prefix); });
    harness.Decide(kernels::SingleThread());
    outcome.trace.push_back(BeamOf(harness.view, harness.state.rules.constraints));
  }
  if (harness.state.status != kernels::SlotStatus::kDone)
    return absl::InternalError("a row held a NaN");
  for (const Harness::Result& r : harness.Results()) {
    outcome.nbest.push_back({r.tokens, r.log_prob, r.score, r.has_eos, 0});
    outcome.constraints_met = outcome.constraints_met && !r.unmet;
  }
  Count(harness.state, &outcome);
  return outcome;
}

absl::StatusOr<SearchOutcome> ProductionBackend::VarBeam(const VarBeamCase& c) {
  auto o = ToOptions(c);
  if (!o.ok()) return o.status();
  o->finalisation = kernels::Finalisation::kOnBeam;
  o->max_candidates = c.max_candidates.value_or(0);
  o->prune = static_cast<float>(c.delta);
  if (c.relative_threshold.has_value()) {
    o->prune = std::min(o->prune, static_cast<float>(-std::log(*c.relative_threshold)));
  }
  return Search(CaseSearch(c, *o, {}));
}

absl::StatusOr<SearchOutcome> ProductionBackend::ImmediateBeam(const SearchCase& c) {
  auto o = ToOptions(c);
  if (!o.ok()) return o.status();
  o->stop_rule = kernels::StopRule::kFirstK;
  return Search(CaseSearch(c, *o, {}));
}

absl::StatusOr<SearchOutcome> ProductionBackend::Dba(const DbaCase& c) {
  auto o = ToOptions(c);
  if (!o.ok()) return o.status();
  o->finalisation = kernels::Finalisation::kKeep;
  o->constraint_prune = static_cast<float>(c.prune);
  o->constraint_allocation = c.stripe ? kernels::Allocation::kStripe : kernels::Allocation::kBanks;
  if (absl::Status status = CheckPhrases(c.phrases); !status.ok()) return status;
  return Search(CaseSearch(c, *o, c.phrases));
}

absl::StatusOr<SearchOutcome> ProductionBackend::BatchBeam(const BatchBeamCase& c) {
  auto o = ToOptions(c);
  if (!o.ok()) return o.status();
  o->finalisation = kernels::Finalisation::kKeep;
  o->penalty = kernels::LengthPenalty::kGnmt;
  o->temperature = static_cast<float>(c.softmax_smoothing);
  o->eos_penalty = static_cast<float>(c.eos_penalty);
  auto outcome = Search(CaseSearch(c, *o, {}));
  if (outcome.ok()) {
    outcome->nbest.resize(std::min(outcome->nbest.size(), static_cast<size_t>(c.nbest)));
  }
  return outcome;
}

absl::Status ProductionBackend::Schedule(const Json& c) { return testing::RunScheduleCase(c); }

}  // namespace dragoman::oracle
