// A search case in the types of the search code, and the reading of a slot for its trace.
//
// A CaseSearch owns the tables that its rules point to and borrows the case.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/decode/phrase_tables.h"
#include "engine/schedule/segment.h"
#include "tests/oracle/search_backend.h"

namespace dragoman::oracle {

class CaseSearch {
 public:
  CaseSearch(const SearchCase& c, const kernels::SearchOptions& search,
             const std::vector<Tokens>& phrases)
      : model(c.model),
        options(search),
        divisor_(engine::LengthDivisors(search.max_tokens, search.length_penalty, search.penalty)),
        prefix_(c.forced_prefix),
        constraints_(phrases),
        forbidden_(c.avoid) {}

  kernels::SegmentRules Rules() const {
    kernels::SegmentRules rules;
    rules.divisor = divisor_.data();
    rules.prefix = prefix_.data();
    rules.prefix_length = static_cast<int32_t>(prefix_.size());
    rules.constraints = constraints_.set();
    rules.forbidden = forbidden_.automaton();
    rules.excluded = forbidden_.excluded();
    return rules;
  }

  // Returns the model's logits after a prefix.
  std::vector<float> Logits(std::span<const int32_t> prefix) const {
    const std::vector<double> logs = model.LogProbs(prefix);
    return {logs.begin(), logs.end()};
  }

  const CaseModel& model;
  const kernels::SearchOptions options;

 private:
  const std::vector<float> divisor_;
  const Tokens prefix_;
  const engine::ConstraintTable constraints_;
  const engine::ForbiddenTable forbidden_;
};

template <class View>
Tokens PrefixOf(const View& view, int32_t lane) {
  Tokens prefix;
  for (int32_t i = 0; i < view.state->length; ++i) prefix.push_back(view.Token(lane, i));
  return prefix;
}

// Returns the beam of a slot after a step. `constraints`: those of its segment, if available.
template <class View>
std::vector<Hypothesis> BeamOf(const View& view, const kernels::ConstraintSet& constraints) {
  const kernels::SlotState& state = *view.state;
  const bool running = state.status == kernels::SlotStatus::kRunning;
  std::vector<Hypothesis> beam;
  for (int32_t lane = 0; running && lane < state.live; ++lane) {
    Hypothesis h;
    h.tokens = PrefixOf(view, lane);
    h.log_prob = view.LogProbOf(lane);
    h.finished = false;
    if (constraints.phrases > 0) h.bank = kernels::Bank(view.Constraints(lane));
    beam.push_back(h);
  }
  // The finished hypotheses that are still on the beam. After the last step, also the results of a
  // constrained search.
  for (int32_t e = 0; e < state.options.beam; ++e) {
    const kernels::FinishedHypothesis& f = view.Finished(e);
    const bool last = f.status == kernels::EntryStatus::kDone && !running && !f.unmet &&
                      state.options.finalisation == kernels::Finalisation::kKeep;
    if (f.status != kernels::EntryStatus::kWaiting && !last) continue;
    Hypothesis h;
    for (int32_t i = 0; i < f.length; ++i) h.tokens.push_back(view.FinishedToken(e, i));
    h.finished = f.last_token == state.options.eos;
    if (!h.finished) h.tokens.push_back(f.last_token);
    h.log_prob = f.log_prob;
    h.bank = constraints.total();
    beam.push_back(h);
  }
  return beam;
}

// Production counts all hypotheses on the beam, including finished ones.
inline void Count(const kernels::SlotState& state, SearchOutcome* outcome) {
  outcome->expansions = state.expansions - state.noop_expansions;
  outcome->noop_expansions = state.noop_expansions;
}

}  // namespace dragoman::oracle
