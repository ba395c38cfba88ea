#include "tests/engine/support/random_segment.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/schedule/segment.h"

namespace dragoman::testing {
namespace {

kernels::ForcedEos ToForcedEos(ReferenceForcedEos forced) {
  switch (forced) {
    case ReferenceForcedEos::kModel:
      return kernels::ForcedEos::kModel;
    case ReferenceForcedEos::kZero:
      return kernels::ForcedEos::kZero;
    case ReferenceForcedEos::kNone:
      break;
  }
  return kernels::ForcedEos::kNone;
}

kernels::StopRule ToStopRule(ReferenceStop stop) {
  switch (stop) {
    case ReferenceStop::kFirstK:
      return kernels::StopRule::kFirstK;
    case ReferenceStop::kHeuristic:
      return kernels::StopRule::kHeuristic;
    case ReferenceStop::kNever:
      return kernels::StopRule::kNever;
    case ReferenceStop::kAllBeams:
      break;
  }
  return kernels::StopRule::kAllBeams;
}

// Returns the forbidden phrases. A banned token becomes a phrase of one token.
std::vector<TokenList> Forbidden(const ReferenceOptions& o) {
  std::vector<TokenList> phrases = o.forbidden;
  for (const int32_t id : o.banned) phrases.push_back({id});
  return phrases;
}

std::vector<engine::GatedPhrase> Constraints(const ReferenceOptions& o) {
  std::vector<engine::GatedPhrase> phrases;
  for (size_t i = 0; i < o.phrases.size(); ++i) {
    const ReferenceGate gate = o.gates.empty() ? ReferenceGate() : o.gates[i];
    phrases.push_back({o.phrases[i], gate.begin, gate.end});
  }
  return phrases;
}

// Returns the distinct tokens in ascending order.
TokenList Ascending(const TokenList& tokens) {
  const std::set<int32_t> once(tokens.begin(), tokens.end());
  return {once.begin(), once.end()};
}

std::unique_ptr<const engine::WordEdgeTable> ToWordEdges(const RandomCase& c) {
  const ReferenceWordEdges& edges = c.options.edges;
  if (edges.empty()) return nullptr;
  auto table = std::make_unique<engine::WordEdgeTable>(c.vocabulary);
  for (const int32_t token : edges.continuing) table->MarkContinues(token);
  for (const int32_t token : edges.open) table->MarkOpen(token);
  return table;
}

}  // namespace

kernels::SearchOptions ToSearchOptions(const RandomCase& c) {
  const ReferenceOptions& r = c.options;
  kernels::SearchOptions o;
  o.beam = r.beam;
  o.max_tokens = r.max_tokens;
  o.min_tokens = r.min_tokens;
  o.eos = RandomCase::kEos;
  o.stop_rule = ToStopRule(r.stop);
  o.forced_eos = ToForcedEos(r.forced_eos);
  o.penalty = r.norm == ReferenceNorm::kGnmt ? kernels::LengthPenalty::kGnmt
                                             : kernels::LengthPenalty::kPower;
  o.length_penalty = static_cast<float>(r.length_penalty);
  o.patience = static_cast<float>(r.patience);
  o.renormalize = r.renormalize;
  o.prune = static_cast<float>(r.delta);
  if (r.relative > 0) o.prune = std::min(o.prune, static_cast<float>(-std::log(r.relative)));
  o.max_candidates = r.max_candidates;
  o.constraint_prune = static_cast<float>(r.constraint_prune);
  o.constraint_allocation = r.allocation == ReferenceAllocation::kBanks
                                ? kernels::Allocation::kBanks
                                : kernels::Allocation::kStripe;
  o.word_edges = !r.edges.empty();
  o.no_repeat_ngram = r.no_repeat_ngram;
  o.repetition_penalty = static_cast<float>(r.repetition_penalty);
  o.encoder_repetition_penalty = static_cast<float>(r.encoder_penalty);
  o.start_token = r.used_start_token;
  o.counts_start = r.used_start_token >= 0;
  o.penalise_logits = r.repetition_on_logits;
  o.temperature = static_cast<float>(r.temperature);
  o.eos_penalty = static_cast<float>(r.eos_penalty);
  switch (c.method) {
    case ReferenceMethod::kOnBeam:
      o.finalisation = kernels::Finalisation::kOnBeam;
      break;
    case ReferenceMethod::kKeep:
    case ReferenceMethod::kConstrained:
      o.finalisation = kernels::Finalisation::kKeep;
      if (r.stop_at_first_complete) {
        o.stop_rule = kernels::StopRule::kFirstK;
        o.patience = 1.0F / static_cast<float>(o.beam);
      }
      break;
    case ReferenceMethod::kImmediate:
      break;
    case ReferenceMethod::kSampling:
      o.beam = c.sampling.alternatives;
      o.sampling.enabled = true;
      o.sampling.top_k = c.sampling.top_k;
      o.sampling.top_p = static_cast<float>(c.sampling.top_p);
      o.sampling.seed = c.sampling.seed;
      o.sampling.ordinal = static_cast<int32_t>(c.sampling.ordinal);
      break;
  }
  o.num_alternatives = o.beam;
  o.align = !r.gates.empty();
  return o;
}

RandomSegment::RandomSegment(RandomCase c)
    : random_case(std::move(c)),
      options(ToSearchOptions(random_case)),
      divisor_(engine::LengthDivisors(options.max_tokens, options.length_penalty, options.penalty)),
      source_(Ascending(random_case.options.source)),
      edges_(ToWordEdges(random_case)),
      constraints_(Constraints(random_case.options), !random_case.options.gates.empty(),
                   edges_.get()),
      forbidden_(Forbidden(random_case.options), random_case.options.excluded) {}

kernels::SegmentRules RandomSegment::Rules() const {
  kernels::SegmentRules rules;
  rules.divisor = divisor_.data();
  rules.prefix = random_case.options.forced_prefix.data();
  rules.prefix_length = static_cast<int32_t>(random_case.options.forced_prefix.size());
  rules.constraints = constraints_.set();
  rules.forbidden = forbidden_.automaton();
  rules.excluded = forbidden_.excluded();
  rules.source = {source_.data(), static_cast<int32_t>(source_.size())};
  return rules;
}

}  // namespace dragoman::testing
