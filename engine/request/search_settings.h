// Resolves a request's decoding options to a segment's search. Options that are not set come from
// the profile (SEARCH.md a.7). Limits depend on the segment's source.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/model/families/model_spec.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

// The complete options of a request.
struct SearchSettings {
  kernels::SearchOptions search;  // max_tokens: the limit of the request and the model
  float max_length_ratio = 0;
  int max_length_extra = 0;
  kernels::ForcedEos constrained_forced_eos =
      kernels::ForcedEos::kModel;      // for segments with required phrases
  int32_t constrained_max_tokens = 1;  // their output limit; leaves a place for EOS
  bool stop_at_first = false;  // such a segment stops at its first complete hypothesis (d.3)
  // The widest beam for such a segment (WidenForConstraints); 0: the request sets the beam.
  int widest_beam = 0;
  // `search.penalise_logits` applies only to a beam of 1 (hf).
  bool penalises_greedy_logits = false;
  // Never produced: phrases masked after the softmax, and tokens that are left out of the softmax.
  std::vector<std::vector<int32_t>> forbidden;
  std::vector<int32_t> excluded;
  // No output contains an n-gram of this many tokens that the source contains; 0: off.
  int encoder_no_repeat_ngram = 0;
  // The request sets the number of hypotheses. If not, an item of several segments gets one.
  bool alternatives_asked = false;
  // The token that begins an output that has no prefix, at log-prob 0.
  std::optional<int32_t> forced_bos;
};

// Facts that the settings need in addition to the options.
struct SearchContext {
  Profile default_profile = Profile::kHf;
  int max_rows = 0;                   // bounds the beam
  bool scores = false;                // the caller reads scores or log-probs
  const char* constraints = nullptr;  // the field that asks for phrases or terms
  bool partials = false;
  bool align = false;  // alignments are needed
};

// Returns INVALID_ARGUMENT with FieldErrors for wrong or contradicting options.
absl::StatusOr<SearchSettings> ResolveSearch(const DecodingOptions& asked, const ModelSpec& model,
                                             const SearchContext& context);

// Returns the search of a segment with `source_tokens` tokens, without EOS and language tag.
// max_tokens is the least of the request's limit, ratio * source_tokens + extra, and the model's
// limit, but at least 1. `constrained`: the segment has required phrases and finishes as d.3 says.
// `ordinal` is the index of the segment in its request.
kernels::SearchOptions SearchForSegment(const SearchSettings& settings, int source_tokens,
                                        bool constrained, int ordinal);

// Widens the beam of a segment whose constraints have C tokens to at least C + 2, as far as
// settings.widest_beam allows, if the request does not set the beam. Below C + 1 some bank has no
// place, and phrases end up in the wrong place or twice (SEARCH.md d.2).
void WidenForConstraints(const SearchSettings& settings, int constraint_tokens,
                         kernels::SearchOptions* search);

// Reduces the search to the best hypothesis, or to one draw if it samples.
void WantOneHypothesis(kernels::SearchOptions* search);

// Returns the cost of a row of a search, in rows of plain beam search. Steps and batches are filled
// by cost, so that no mix of requests makes a step much longer than plain rows would.
//
// Measured with `search_bench row-costs` (tests/bench/README.md, "What a row costs") on the bundled
// model, whose rows are the cheapest: all costs of larger models are nearer to 1. A cost of up to
// 1.5 rows counts as one. Options that are not named cost no more, even at their extremes: beams of
// 64, 128 required tokens, 4,096 forbidden nodes, n-gram bans, partials, alignment.
inline int32_t RowCost(const kernels::SearchOptions& o) {
  const bool penalty = o.repetition_penalty != 1.0F || o.encoder_repetition_penalty != 1.0F;
  // Sampling weighs every token of the vocabulary. Its limits and the penalty are separate passes.
  if (o.sampling.enabled) return penalty ? 3 : 2;
  // The normalizer is computed a second time.
  if (penalty && (o.penalise_logits || o.renormalize)) return 2;
  return 1;
}

}  // namespace dragoman::engine
