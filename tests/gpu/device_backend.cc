#include "tests/gpu/device_backend.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/device_batch.h"
#include "tests/gpu/scripted_cuda_device.h"

namespace dragoman::oracle {
namespace {

// Checks the limits of a device's batch, as the daemon does for requests.
absl::Status CheckFits(const CaseSearch& search) {
  const kernels::SegmentRules rules = search.Rules();
  if (search.options.beam > kernels::kMaxBeam) {
    return absl::UnimplementedError(absl::StrCat("a beam of ", search.options.beam,
                                                 "; a slot of a device has ", kernels::kMaxBeam,
                                                 " lanes"));
  }
  if (rules.forbidden.nodes > kernels::kMaxForbiddenNodes) {
    return absl::UnimplementedError(
        absl::StrCat(rules.forbidden.nodes, " nodes of forbidden phrases; a slot has room for ",
                     kernels::kMaxForbiddenNodes));
  }
  return absl::OkStatus();
}

kernels::BatchLimits LimitsFor(const CaseSearch& search) {
  const kernels::SearchOptions& o = search.options;
  kernels::BatchLimits limits;
  limits.max_rows = limits.lanes = o.beam;
  limits.positions = o.max_tokens + 1;
  limits.self_pages = static_cast<int32_t>(kernels::WorstCasePages(o.beam, o.max_tokens));
  limits.vocabulary = search.model.vocabulary;
  limits.start_token = search.model.vocabulary;
  limits.workspaces = limits.materialized_workspaces = 1;
  const engine::DeviceNeeds needs = engine::NeedsOf(limits);
  limits.rules_words = needs.rules_words;
  limits.materialized_rows = std::max(needs.materialized_rows, limits.max_rows);
  return limits;
}

// Returns the beam of a slot at length `length`, when all tokens up to that length were forced.
std::vector<Hypothesis> ForcedBeam(const kernels::SlotView& view,
                                   const kernels::ConstraintSet& constraints, int32_t length) {
  Hypothesis h;
  float log_prob = 0;
  kernels::ConstraintState state = kernels::StartConstraints(constraints);
  for (int32_t i = 1; i <= length; ++i) {
    const int64_t at = view.At(0, i);
    h.tokens.push_back(view.arrays.tokens[at]);
    log_prob += view.arrays.token_log_probs[at];
    state = kernels::Advance(constraints, state, h.tokens.back());
  }
  h.log_prob = log_prob;
  h.finished = false;
  if (constraints.phrases > 0) h.bank = kernels::Bank(state);
  return {h};
}

}  // namespace

absl::StatusOr<SearchOutcome> DeviceBackend::Search(const CaseSearch& search) {
  if (absl::Status status = CheckFits(search); !status.ok()) return status;
  SearchOutcome outcome;
  const kernels::SegmentRules rules = search.Rules();
  int32_t length = 0;
  auto device = testing::ScriptedCudaDevice::Create(
      LimitsFor(search),
      [&](int32_t, std::span<const int32_t> prefix) { return search.Logits(prefix); },
      [&](int32_t, const kernels::SlotView& view) {
        // An oracle case has a step for each token, whereas a batch takes several forced tokens in
        // one step. The last step of a search leaves the length unchanged.
        const bool is_over = view.state->status != kernels::SlotStatus::kRunning;
        while (++length < view.state->length + (is_over ? 1 : 0)) {
          ++outcome.steps;
          outcome.trace.push_back(ForcedBeam(view, rules.constraints, length));
        }
        ++outcome.steps;
        outcome.trace.push_back(BeamOf(view, rules.constraints));
        Count(*view.state, &outcome);
      });
  if (!device.ok()) return device.status();
  auto batch = engine::DeviceBatch::Create(*std::move(device));
  if (!batch.ok()) return batch.status();
  engine::SlotInput input;
  input.search = search.options;
  input.rules = rules;
  input.source_length = 1;
  input.cross = engine::CrossPages(nullptr, {0});
  const int slot = (*batch)->Admit(std::move(input));
  // A search takes at most one step for each token and one for EOS. Two more steps report its end.
  for (int32_t step = 0; step < search.options.max_tokens + 4; ++step) {
    const auto report = (*batch)->Step({});
    if (!report.ok()) return report.status();
    for (const engine::BatchEvent& event : report->events) {
      if (event.kind == engine::BatchEvent::Kind::kBadNumber) {
        return absl::InternalError("a row held a NaN");
      }
      if (event.kind != engine::BatchEvent::Kind::kDone) continue;
      for (const engine::DecodedHypothesis& h : (*batch)->Result(slot)) {
        const bool has_eos = h.token_log_probs.size() > h.tokens.size();
        outcome.nbest.push_back({h.tokens, h.log_prob, h.score, has_eos, 0});
        outcome.constraints_met =
            outcome.constraints_met && h.reason != kernels::FinishReason::kConstraintsUnmet;
      }
      (*batch)->Release(slot);
      return outcome;
    }
  }
  return absl::InternalError("the search has not ended");
}

}  // namespace dragoman::oracle
