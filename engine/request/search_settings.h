// Turns the decoding options of a request into the search options of its segments. Options that the
// request does not set come from the profile (SEARCH.md a.7). The output limit of a segment also
// depends on the length of its source.
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

// The settings of all searches of a request.
struct SearchSettings {
  kernels::SearchOptions search;  // max_tokens does not depend on the source yet
  float max_length_ratio = 0;
  int max_length_extra = 0;
  // The members from here to penalises_greedy_logits are only for constrained segments, which have
  // required phrases.
  kernels::ForcedEos constrained_forced_eos = kernels::ForcedEos::kModel;
  int32_t constrained_max_tokens = 1;  // in place of search.max_tokens
  bool stop_at_first = false;          // stops at the first complete hypothesis (SEARCH.md d.3)
  // The widest beam that WidenBeam may set. 0: it must not change the beam, because the request
  // sets it.
  int widest_beam = 0;
  // Terms are placed where the model attends to their source words (SEARCH.md d.7).
  bool aligns_terms = false;
  // search.penalise_logits must become false if the beam is widened above 1 (profile hf).
  bool penalises_greedy_logits = false;
  // No search produces the phrases in `forbidden` or the tokens in `excluded`. Forbidden phrases
  // are masked after the softmax. Excluded tokens are left out of the softmax.
  std::vector<std::vector<int32_t>> forbidden;
  std::vector<int32_t> excluded;
  // No output contains an n-gram of this many tokens that the source contains; 0: off.
  int encoder_no_repeat_ngram = 0;
  // The request sets the number of hypotheses. If false, an item of several segments gets one
  // hypothesis.
  bool alternatives_asked = false;
  // The token with which a translation without a forced prefix begins. It adds 0 to the log-prob.
  std::optional<int32_t> forced_bos;
};

// Facts that the settings need in addition to the options.
struct SearchContext {
  Profile default_profile = Profile::kHf;
  int max_rows = 0;                   // the most rows of a batch, which bounds the beam
  bool scores = false;                // the result contains scores or log-probs
  const char* constraints = nullptr;  // the result of ConstrainingField (option_rules.h)
  bool partials = false;
  bool align = false;  // the result needs alignments
};

// Returns the settings of a request with the options `asked`. Returns INVALID_ARGUMENT with
// FieldErrors for wrong or contradicting options.
absl::StatusOr<SearchSettings> ResolveSearch(const DecodingOptions& asked, const ModelSpec& model,
                                             const SearchContext& context);

// Returns the search options of a segment. `source_tokens` is the number of its text tokens,
// without EOS, language tags and prompt. max_tokens is the least of the request's limit, the
// model's limit and max_length_ratio * source_tokens + max_length_extra, but at least 1.
// `constrained`: the segment has required phrases, so its search ends by the rules of SEARCH.md
// d.3. `ordinal` is the index of the segment in its request.
kernels::SearchOptions SearchForSegment(const SearchSettings& settings, int source_tokens,
                                        bool constrained, int ordinal);

// Returns the search options for scoring a translation of `tokens` tokens, EOS included, which is
// the forced prefix (SEARCH.md a.9). The first `free` tokens have log-prob 0. `settings` are those
// of ScoringOptions.
kernels::SearchOptions SearchForScoring(const SearchSettings& settings, int tokens, int free);

// Returns the options of a job that scores translations: those of `asked` that change scores, and a
// beam of `positions`, because a step computes as many positions of a prefix as the beam is wide.
DecodingOptions ScoringOptions(const DecodingOptions& asked, int positions);

// Returns the options of a second search, after a first one whose result is probably wrong
// (engine/text/guard.h). The second search has a wider beam and repeats no n-gram. `found` are the
// settings of the first.
DecodingOptions SaferOptions(DecodingOptions asked, const SearchSettings& found, int max_rows);

// The narrowest beam of a search with gates (SEARCH.md d.7).
inline constexpr int kLeastGatedBeam = 5;

// Widens the beam of a constrained segment to `beam`, but to no more than settings.widest_beam. Has
// no effect if the request sets the beam. A search for C constraint tokens has C + 1 banks, one for
// each number of tokens that a hypothesis may have met. If the beam is narrower, some banks get no
// hypothesis, and phrases appear in the wrong place or twice (SEARCH.md d.2).
void WidenBeam(const SearchSettings& settings, int beam, kernels::SearchOptions* search);

// Makes the search return one hypothesis: the best, or a single draw if it samples.
void WantOneHypothesis(kernels::SearchOptions* search);

// Returns the cost of a row with these options. A row of plain beam search costs 1. The sum of
// costs limits the rows of steps and batches, so that expensive options do not make steps much
// longer.
//
// The costs were measured with `search_bench row-costs` (tests/bench/README.md, "What a row costs")
// on the bundled model. A plain row of a larger model takes longer, so there the same options cost
// fewer rows. A measured cost of up to 1.5 rows counts as 1. This is the case for all options that
// are not named here, even at their extremes: beams of 64, 128 required tokens, 4,096 forbidden
// nodes, n-gram bans, partials, alignment.
inline int32_t RowCost(const kernels::SearchOptions& o) {
  const bool penalty = o.repetition_penalty != 1.0F || o.encoder_repetition_penalty != 1.0F;
  // Sampling computes a weight for every token of the vocabulary. Its limits (top_k, top_p) and the
  // penalty need further passes over the logits.
  if (o.sampling.enabled) return penalty ? 3 : 2;
  // The penalty changes scores before the softmax, so the normalizer is computed a second time.
  if (penalty && (o.penalise_logits || o.renormalize)) return 2;
  return 1;
}

}  // namespace dragoman::engine
