// Resolves a request's decoding options to a segment's search: unset options come from the profile
// (SEARCH.md a.7), limits come from the segment's own source.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/model/families/model_spec.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

// One request's options, complete.
struct SearchSettings {
  kernels::SearchOptions search;  // max_tokens: what the request and the model allow at most
  float max_length_ratio = 0;
  int max_length_extra = 0;
  kernels::ForcedEos constrained_forced_eos =
      kernels::ForcedEos::kModel;      // of segments with required phrases,
  int32_t constrained_max_tokens = 1;  // and their limit: it leaves EOS a place
  bool stop_at_first = false;  // such a segment is over at its first complete hypothesis (d.3)
  // The widest beam that such a segment may get (WidenForConstraints); 0: the request sets the beam.
  int widest_beam = 0;
  // `search.penalise_logits` holds for a beam of 1 alone (hf).
  bool penalises_greedy_logits = false;
  // Output that the profile never produces: phrases that are masked after the softmax, and tokens
  // that take no part in it.
  std::vector<std::vector<int32_t>> forbidden;
  std::vector<int32_t> excluded;
  // No output has so many tokens in a row that the source has in a row; 0: off.
  int encoder_no_repeat_ngram = 0;
  // Whether the request says how many hypotheses it wants. Else an item of several segments is
  // answered with one.
  bool alternatives_asked = false;
  // The token that begins an output without a prefix of its own, at log-prob 0.
  std::optional<int32_t> forced_bos;
};

// Facts that the settings need besides the options.
struct SearchContext {
  Profile default_profile = Profile::kHf;
  int max_rows = 0;                   // bounds the beam
  bool scores = false;                // the caller reads scores or log-probs
  const char* constraints = nullptr;  // the field that asks for phrases or terms, if one does
  bool partials = false;
  bool align = false;  // alignments are needed
};

// INVALID_ARGUMENT has a FieldError for each option that is wrong, and for two that do not go
// together.
absl::StatusOr<SearchSettings> ResolveSearch(const DecodingOptions& asked, const ModelSpec& model,
                                             const SearchContext& context);

// The search of a segment of this many source tokens (EOS and language tag not counted): max_tokens
// is the least of the request's, ratio * source_tokens + extra, and the model's. `constrained`: it
// has required phrases; its finishing is that of d.3. `ordinal`: of the segment in its request.
kernels::SearchOptions SearchForSegment(const SearchSettings& settings, int source_tokens,
                                        bool constrained, int ordinal);

// The beam of a segment whose constraints have C tokens: where the request leaves it open, at least
// C + 2, as far as settings.widest_beam allows. Below C + 1 some bank has no place, and phrases end up
// in the wrong place or twice (SEARCH.md d.2).
void WidenForConstraints(const SearchSettings& settings, int constraint_tokens,
                         kernels::SearchOptions* search);

// The same search for the best hypothesis only, or with sampling for one draw.
void WantOneHypothesis(kernels::SearchOptions* search);

// The cost of a search's row where steps and batches are filled, in rows of plain beam search, so
// that no mix of requests makes steps much longer than as many plain rows would.
//
// Measured by `search_bench row-costs` (tests/bench/README.md, "What a row costs") on
// the bundled model, whose rows are the cheapest there are: beside larger models' rows everything
// here is nearer to 1. Options that cost up to one and a half rows count as one; options that are
// not named cost no more, even at their extremes: beams of 64, 128 required tokens, 4,096 nodes of
// forbidden phrases, n-gram bans, partials, alignment.
inline int32_t RowCost(const kernels::SearchOptions& o) {
  const bool penalty = o.repetition_penalty != 1.0F || o.encoder_repetition_penalty != 1.0F;
  // A weight for every token of the vocabulary; its limits and the penalty are sweeps of their own.
  if (o.sampling.enabled) return penalty ? 3 : 2;
  // The normaliser is made again.
  if (penalty && (o.penalise_logits || o.renormalize)) return 2;
  return 1;
}

}  // namespace dragoman::engine
