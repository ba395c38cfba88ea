// The options of one segment's search, as plain data. SEARCH.md explains them in the sections that
// the comments name. A row is a live hypothesis in one step. ct2 and hf are profiles: sets of
// defaults for the options (SEARCH.md a.7).
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman::kernels {

// Limits of a search, which the API also documents (proto/dragoman/v1/translation.proto): the size
// of the beam, the number of wanted ids of a row (LogitRequest::wanted in row.h), the number of
// tokens in all required phrases together, and the number of nodes in the automaton of forbidden
// phrases (forbidden.h).
inline constexpr int kMaxBeam = 64;
inline constexpr int kMaxWantedIds = 160;
inline constexpr int kMaxConstraintTokens = 128;
inline constexpr int kMaxForbiddenNodes = 4096;

// The least number of best tokens that a row asks for if the required phrases have WordEdges
// (constraints.h; SEARCH.md d.2).
inline constexpr int kWordCandidates = 8;

// Limits of a model: the number of ids in addition to EOS that end a hypothesis, and the number of
// ids with which no output may begin.
inline constexpr int kMaxMoreEos = 7;
inline constexpr int kMaxNotFirst = 8;

// How the search treats a hypothesis that ends (SEARCH.md a.1, a.7, f).
enum class Finalisation : uint8_t {
  kImmediate,  // it leaves the beam at once
  kOnBeam,     // it stays on the beam until no unfinished one is better
  kKeep,       // it stays on the beam to the end
};

// When a search with immediate finalisation is over (SEARCH.md a.7).
enum class StopRule : uint8_t {
  kFirstK,  // once round(beam * patience) hypotheses have finished
  // Once `beam` hypotheses have finished and no live one, scored at its present length, beats the
  // worst of them.
  kHeuristic,
  // Like kHeuristic, but live hypotheses are scored as if they had the length of the limit.
  kNever,
  // Once all hypotheses have ended. A finished hypothesis is not replaced by a better one.
  kAllBeams,
};

// How a hypothesis that reaches SearchOptions::max_tokens real tokens ends (SEARCH.md 0.2, a.7).
enum class ForcedEos : uint8_t {
  kModel,  // one more position where only EOS is possible, at its model log-prob
  kZero,   // one more position where only EOS is possible, at log-prob 0
  kNone,   // it ends as it is, without EOS
};

// The divisor of a hypothesis' score.
enum class LengthPenalty : uint8_t {
  kPower,  // len^alpha
  kGnmt,   // ((5 + len) / 6)^alpha
};

// How the places of the beam are divided over banks: groups of hypotheses that have met equally
// many tokens of the required phrases (SEARCH.md d.2).
enum class Allocation : uint8_t { kStripe, kBanks };

// Why an output ended, from best to worst. A text of several segments has the worst reason of its
// segments.
enum class FinishReason : uint8_t { kEos, kLength, kConstraintsUnmet, kNoOutput };

// Options of sampling (SEARCH.md a.8). With sampling, the search makes `beam` independent draws,
// each in a lane of its own.
struct SamplingOptions {
  bool enabled = false;
  int32_t top_k = 0;    // 0: off
  float top_p = 1.0F;   // 1: off
  uint64_t seed = 0;    // Philox key
  int32_t ordinal = 0;  // number of the segment in its request: part of the Philox counter
};

// The options of one search. They do not change while the segment is in a slot of the batch.
struct SearchOptions {
  int32_t beam = 1;              // 1..kMaxBeam
  int32_t num_alternatives = 1;  // number of hypotheses to return, 1..beam
  int32_t max_tokens = 1;        // real tokens: without the start token and EOS; >= 1
  int32_t min_tokens = 0;        // EOS is masked below this many real tokens
  int32_t eos = 0;
  // Further ids that end a hypothesis. Such an id is its last real token, but the rules of EOS
  // apply to it (min_tokens, lengths, finishing). Only EOS itself is ever forced.
  int32_t more_eos[kMaxMoreEos] = {};
  int32_t more_eos_count = 0;
  // Ids that are never the first token after the forced prefix.
  int32_t not_first[kMaxNotFirst] = {};
  int32_t not_first_count = 0;
  int32_t start_token = -1;  // first token of every hypothesis; negative: BatchLimits::start_token
  // The number of tokens at the beginning of the forced prefix that get log-prob 0 instead of the
  // model's.
  int32_t free_prefix = 0;
  Finalisation finalisation = Finalisation::kImmediate;
  StopRule stop_rule = StopRule::kHeuristic;
  ForcedEos forced_eos = ForcedEos::kNone;
  LengthPenalty penalty = LengthPenalty::kPower;
  float length_penalty = 1.0F;  // alpha; already applied in SegmentRules::divisor
  float patience = 1.0F;        // FIRST_K only; > 0
  bool renormalize = false;     // masks act before the softmax (SEARCH.md a.7)
  // False: greedy search without scores, which computes no normaliser (SEARCH.md b).
  bool need_log_probs = true;

  // Pruning (SEARCH.md a.2). A hypothesis stays if its log-prob is at least that of the best
  // hypothesis minus `prune`. `prune` is the smaller of the absolute delta and -ln(relative
  // threshold).
  float prune = INFINITY;
  int32_t max_candidates = 0;  // limit of the children of one parent; 0: no limit

  // Required phrases (SEARCH.md d).
  float constraint_prune = INFINITY;
  Allocation constraint_allocation = Allocation::kStripe;
  bool word_edges = false;  // the required phrases have WordEdges

  // Changes of the scores (SEARCH.md a.8).
  int32_t no_repeat_ngram = 0;      // 0: off
  float repetition_penalty = 1.0F;  // 1: off
  // Penalty of the source's tokens (SegmentRules::source); 1: off.
  float encoder_repetition_penalty = 1.0F;
  // The start token counts as used, for n-grams and repetition_penalty (profile hf).
  bool counts_start = false;
  // The penalties act on logits, before temperature and softmax (profile ct2; profile hf with beam
  // 1 or sampling).
  bool penalise_logits = false;
  float temperature = 1.0F;  // divides the logits; with sampling, after the masks were applied
  float eos_penalty = 1.0F;  // factor of EOS's log-prob
  SamplingOptions sampling;

  // When steps and batches are filled, a row of this search counts as `row_cost` rows of plain beam
  // search (engine/request/search_settings.h). It decides when a translation is made, never its
  // content.
  int32_t row_cost = 1;

  // If `align`, the alignment uses the mean of some attention heads of decoder layer
  // alignment_layer: of head h if bit h of alignment_heads is set.
  bool align = false;
  int32_t alignment_layer = 0;
  uint64_t alignment_heads = ~uint64_t{0};

  DRAGOMAN_HD bool Ends(int32_t token) const {
    bool ends = token == eos;
    for (int32_t i = 0; i < more_eos_count; ++i) ends = ends || token == more_eos[i];
    return ends;
  }

  // Reports whether a penalty applies to tokens of the source or of the hypothesis.
  DRAGOMAN_HD bool penalises() const {
    return repetition_penalty != 1.0F || encoder_repetition_penalty != 1.0F;
  }

  DRAGOMAN_HD int32_t children() const {
    return max_candidates > 0 && max_candidates < beam ? max_candidates : beam;
  }

  // Returns the number of best tokens that a row asks for. With word edges it may be more than
  // children(), so that a token that does not continue a word is among them.
  DRAGOMAN_HD int32_t candidates() const {
    return word_edges && beam < kWordCandidates ? kWordCandidates : children();
  }

  // Reports whether the search needs materialized logits: all logits of a row in memory. It needs
  // them if it may choose a token that is not among the best, or if the normaliser is computed from
  // changed scores.
  DRAGOMAN_HD bool materialized_logits() const {
    // Not ||, so that a GPU waits once for all loads rather than for one after the other.
    return sampling.enabled | penalises() | ((eos_penalty != 1.0F) & renormalize);
  }
};

namespace cuda {

// The largest number of best tokens (K) that the fused output layer finds
// (kernels/ops/output_layer_cuda.h).
inline constexpr int kMaxFusedTopK = 16;

// Reports whether the fused output layer may compute rows with these options.
DRAGOMAN_HD inline bool MayFuse(const SearchOptions& o) {
  // It is enough to test children(): candidates() is larger only if it is kWordCandidates.
  static_assert(kWordCandidates <= kMaxFusedTopK);
  const int k = o.children();
  return (k <= kMaxFusedTopK) & !o.materialized_logits();
}

}  // namespace cuda

}  // namespace dragoman::kernels
