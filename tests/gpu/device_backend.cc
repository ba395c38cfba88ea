#include "tests/gpu/device_backend.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/device_batch.h"
#include "tests/gpu/scripted_cuda_device.h"

namespace dragoman::oracle {
namespace {

// Checks the limits that a batch of a device has, as the wire does.
absl::Status CheckFits(const CaseSearch& search) {
  const SegmentRules rules = search.Rules();
  if (search.options.beam > kMaxBeam) {
    return absl::UnimplementedError(absl::StrCat("a beam of ", search.options.beam,
                                                 "; a slot of a device has ", kMaxBeam, " lanes"));
  }
  if (rules.forbidden.nodes > kMaxForbiddenNodes) {
    return absl::UnimplementedError(
        absl::StrCat(rules.forbidden.nodes, " nodes of forbidden phrases; a slot has room for ",
                     kMaxForbiddenNodes));
  }
  return absl::OkStatus();
}

BatchLimits LimitsFor(const CaseSearch& search) {
  const SearchOptions& o = search.options;
  BatchLimits limits;
  limits.max_rows = limits.lanes = o.beam;
  limits.positions = o.max_tokens + 1;
  limits.self_pages = static_cast<int32_t>(WorstCasePages(o.beam, o.max_tokens));
  limits.vocabulary = search.model.vocabulary;
  limits.start_token = search.model.vocabulary;
  limits.workspaces = limits.stored_workspaces = 1;
  const DeviceNeeds needs = NeedsOf(limits);
  limits.rules_words = needs.rules_words;
  limits.stored_rows = std::max(needs.stored_rows, limits.max_rows);
  return limits;
}

// The beam of a slot when it was `length` tokens long and all of them were forced.
std::vector<Hypothesis> ForcedBeam(const SlotView& view, const ConstraintSet& constraints,
                                   int32_t length) {
  Hypothesis h;
  float log_prob = 0;
  ConstraintState state = StartConstraints(constraints);
  for (int32_t i = 1; i <= length; ++i) {
    const int64_t at = view.At(0, i);
    h.tokens.push_back(view.arrays.tokens[at]);
    log_prob += view.arrays.token_log_probs[at];
    state = Advance(constraints, state, h.tokens.back());
  }
  h.log_prob = log_prob;
  h.finished = false;
  if (constraints.phrases > 0) h.bank = Bank(state);
  return {h};
}

}  // namespace

absl::StatusOr<SearchOutcome> DeviceBackend::Search(const CaseSearch& search) {
  if (absl::Status status = CheckFits(search); !status.ok()) return status;
  SearchOutcome outcome;
  const SegmentRules rules = search.Rules();
  int32_t length = 0;
  auto device = testing::ScriptedCudaDevice::Create(
      LimitsFor(search),
      [&](int32_t, std::span<const int32_t> prefix) { return search.Logits(prefix); },
      [&](int32_t, const SlotView& view) {
        // A case has a step for each token, a batch takes several that are forced in one. The step at
        // which a search ends leaves its length as it was.
        const bool is_over = view.state->status != SlotStatus::kRunning;
        while (++length < view.state->length + (is_over ? 1 : 0)) {
          ++outcome.steps;
          outcome.trace.push_back(ForcedBeam(view, rules.constraints, length));
        }
        ++outcome.steps;
        outcome.trace.push_back(BeamOf(view, rules.constraints));
        Count(*view.state, &outcome);
      });
  if (!device.ok()) return device.status();
  auto batch = DeviceBatch::Create(*std::move(device));
  if (!batch.ok()) return batch.status();
  SlotInput input;
  input.search = search.options;
  input.rules = rules;
  input.source_length = 1;
  input.cross = CrossPages(nullptr, {0});
  const int slot = (*batch)->Admit(std::move(input));
  // A search takes at most a step for each token and one for EOS; two more report it.
  for (int32_t step = 0; step < search.options.max_tokens + 4; ++step) {
    const auto report = (*batch)->Step({});
    if (!report.ok()) return report.status();
    for (const BatchEvent& event : report->events) {
      if (event.kind == BatchEvent::Kind::kBadNumber) {
        return absl::InternalError("a row held a NaN");
      }
      if (event.kind != BatchEvent::Kind::kDone) continue;
      for (const DecodedHypothesis& h : (*batch)->Result(slot)) {
        const bool has_eos = h.token_log_probs.size() > h.tokens.size();
        outcome.nbest.push_back({h.tokens, h.log_prob, h.score, has_eos, 0});
        outcome.constraints_met =
            outcome.constraints_met && h.reason != FinishReason::kConstraintsUnmet;
      }
      (*batch)->Release(slot);
      return outcome;
    }
  }
  return absl::InternalError("the search has not ended");
}

}  // namespace dragoman::oracle
