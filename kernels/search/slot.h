// A slot of the decoding batch: the state of one segment's search and of its hypotheses.
//
// Each live hypothesis of a slot has a lane, 0..live-1, better ones first. A slot maps its lanes to
// global lanes, the lanes of the batch. A pair (global lane, input position) addresses a token, its
// log-prob and its K/V: position 0 is the start token, position p >= 1 the p-th real token. These
// values are written once and never move. The ancestry row of a lane says, for each earlier
// position of its hypothesis, which lane of the slot wrote it. A reorder rewrites only that row.
//
// A hypothesis that has ended is an entry of its slot (FinishedHypothesis). It has an ancestry row,
// its lineage, but no row in a step. Its status is `kWaiting` while it competes on the beam,
// `kDone` once it is a result. Live and waiting hypotheses together are the beam; their ranks order
// it.
//
// Plain data on raw pointers, for host and device. The arrays belong to the decoding batch. Not
// thread-safe: one ThreadGroup at a time uses a slot.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/base/kv_pages.h"
#include "kernels/search/constraints.h"
#include "kernels/search/forbidden.h"
#include "kernels/search/options.h"

namespace dragoman::kernels {

enum class SlotStatus : uint8_t {
  kFree,
  kRunning,
  // The search has ended. The entries with status kDone are its results; there may be none.
  kDone,
  kBadNumber  // a row's logits contained a NaN or +inf; only this segment fails
};

enum class EntryStatus : uint8_t { kFree, kWaiting, kDone };

// A hypothesis that has ended. Its lineage gives its real tokens except the last.
struct FinishedHypothesis {
  float score = 0;         // log_prob / divisor
  float log_prob = 0;      // sum over the path, EOS included, not divided
  int32_t length = 0;      // number of real tokens in its lineage, without last_token
  int32_t last_token = 0;  // EOS or, if a further id or the limit ended it, a real token
  float last_log_prob = 0;
  int32_t rank = 0;  // rank on the beam while it waits; with sampling the number of the draw
  EntryStatus status = EntryStatus::kFree;
  bool unmet = false;  // required phrases are missing
};

// The rules of a segment in addition to its options: immutable host or device tables, borrowed
// while the segment is in a slot.
struct SegmentRules {
  const float* divisor = nullptr;   // divisors of the score, by length
  const int32_t* prefix = nullptr;  // tokens its output must begin with
  int32_t prefix_length = 0;
  ConstraintSet constraints;
  ForbiddenAutomaton forbidden;
  IdList excluded;  // tokens that are never produced and not part of the normaliser (pad)
  IdList source;    // the source's tokens, for encoder_repetition_penalty; empty if that is off
};

struct SlotState {
  SearchOptions options;
  SegmentRules rules;
  SlotStatus status = SlotStatus::kFree;
  int32_t length = 0;           // number of real tokens of every live hypothesis
  int32_t live = 0;             // number of live hypotheses, in lanes 0..live-1
  int32_t finished = 0;         // number of entries that are kDone, at most `beam`
  int32_t waiting = 0;          // number of entries that are kWaiting
  int32_t finished_total = 0;   // number of hypotheses that ever finished, kept or not
  float best_done = -INFINITY;  // the largest log_prob of all that ever finished
  int32_t paused = 0;           // number of steps since the slot last ran
  int32_t pages = 0;            // number of K/V pages that its lanes hold
  int32_t ahead = 0;  // if > length: the positions length .. ahead - 1 may run in one step
  // Counted as in Yang et al. (2020). `expansions` is the number of hypotheses on the beam, summed
  // over all steps. `noop_expansions` counts only those that had ended and waited on the beam.
  int32_t expansions = 0;
  int32_t noop_expansions = 0;
};

// The arrays of all global lanes. [lanes, stride] means that each lane has `stride` entries, with
// stride >= max_tokens + 2. The type `Lane` holds the number of a lane within its slot.
template <class Lane>
struct BasicLaneArrays {
  int32_t* tokens = nullptr;         // [lanes, stride]
  float* token_log_probs = nullptr;  // [lanes, stride]
  // [lanes, stride] for each position the source position that is aligned to the next token.
  uint16_t* aligned = nullptr;
  Lane* ancestry = nullptr;   // [lanes, stride]
  float* log_prob = nullptr;  // [lanes] log-prob of the live hypothesis
  // [lanes] rank of the live hypothesis; with sampling the number of the draw.
  int32_t* rank = nullptr;
  ConstraintState* constraints = nullptr;  // [lanes]
  int32_t* forbidden = nullptr;            // [lanes] state of the automaton (forbidden.h)
  FinishedHypothesis* finished = nullptr;  // [lanes]
  Lane* finished_ancestry = nullptr;       // [lanes, stride]
  int64_t stride = 0;
};

template <class LaneNumber>
struct BasicSlotView {
  using Lane = LaneNumber;

  SlotState* state = nullptr;
  const int32_t* lanes = nullptr;  // [beam] global lanes
  BasicLaneArrays<Lane> arrays;

  DRAGOMAN_HD int64_t At(int lane, int position) const {
    return lanes[lane] * arrays.stride + position;
  }
  DRAGOMAN_HD Lane* Ancestry(int lane) const { return arrays.ancestry + At(lane, 0); }

  // Returns the lane of this slot that wrote `position` of the live hypothesis in `lane`.
  DRAGOMAN_HD int Writer(int lane, int position) const {
    return position == state->length ? lane : Ancestry(lane)[position];
  }

  // Returns token `index` of the live hypothesis in `lane`. Index -1 is the start token.
  DRAGOMAN_HD int32_t Token(int lane, int index) const {
    return arrays.tokens[At(Writer(lane, index + 1), index + 1)];
  }

  DRAGOMAN_HD FinishedHypothesis& Finished(int index) const {
    return arrays.finished[lanes[index]];
  }
  DRAGOMAN_HD Lane* FinishedAncestry(int index) const {
    return arrays.finished_ancestry + At(index, 0);
  }
  // Returns token `index` of the ended hypothesis Finished(which). Index 0 is the first token after
  // the start token. REQUIRES: index < Finished(which).length.
  DRAGOMAN_HD int32_t FinishedToken(int which, int index) const {
    return arrays.tokens[At(FinishedAncestry(which)[index + 1], index + 1)];
  }
  DRAGOMAN_HD float FinishedTokenLogProb(int which, int index) const {
    return arrays.token_log_probs[At(FinishedAncestry(which)[index + 1], index + 1)];
  }
  // Returns the source position that token `index` of the ended hypothesis Finished(which) is
  // aligned to. REQUIRES: index <= Finished(which).length, which is the index of the last token.
  DRAGOMAN_HD int FinishedAligned(int which, int index) const {
    return arrays.aligned[At(FinishedAncestry(which)[index], index)];
  }

  DRAGOMAN_HD float& LogProbOf(int lane) const { return arrays.log_prob[lanes[lane]]; }
  DRAGOMAN_HD int32_t& RankOf(int lane) const { return arrays.rank[lanes[lane]]; }
  DRAGOMAN_HD ConstraintState& Constraints(int lane) const {
    return arrays.constraints[lanes[lane]];
  }
  // Returns the source position that the next token of the live hypothesis in `lane` is aligned to,
  // or kAnySource if the required phrases have no gates.
  DRAGOMAN_HD uint16_t SourceOf(int lane) const {
    return state->rules.constraints.gated() ? arrays.aligned[At(lane, state->length)] : kAnySource;
  }
  DRAGOMAN_HD int32_t& Forbidden(int lane) const { return arrays.forbidden[lanes[lane]]; }
};

// The number of a lane within its slot is a byte, so a slot has at most 256 lanes.
using LaneArrays = BasicLaneArrays<uint8_t>;
using SlotView = BasicSlotView<uint8_t>;

// Reports whether EOS is forced at `position`, because the output already has max_tokens tokens
// there. Always false if the options force no EOS.
DRAGOMAN_HD inline bool IsEosOnly(const SlotState& s, int32_t position) {
  return s.options.forced_eos != ForcedEos::kNone && position == s.options.max_tokens;
}
DRAGOMAN_HD inline bool IsEosOnly(const SlotState& s) { return IsEosOnly(s, s.length); }

// Reports whether the next token is the last one of a search that forces no EOS.
DRAGOMAN_HD inline bool IsLastToken(const SlotState& s) {
  return s.options.forced_eos == ForcedEos::kNone && s.length + 1 == s.options.max_tokens;
}

// Returns how many consecutive positions of each hypothesis the slot's next step computes, one row
// for each position. Usually it is 1. While the next tokens are known (positions below `ahead`),
// there is only one hypothesis, and the step computes several of its positions: at most `beam`, and
// within one page. So the slot never needs more rows or pages than a full beam would.
DRAGOMAN_HD inline int32_t NextPositions(const SlotState& s) {
  if (s.length >= s.ahead) return 1;
  const int32_t known = s.ahead - s.length;
  const int32_t of_page = kPagePositions - s.length % kPagePositions;
  const int32_t most = of_page < s.options.beam ? of_page : s.options.beam;
  return known < most ? known : most;
}

// Returns the number of rows of the slot in its next step. At least one of the two factors is 1.
DRAGOMAN_HD inline int32_t NextRows(const SlotState& s) { return s.live * NextPositions(s); }

namespace slot_internal {

// Lets the positions of a forced prefix run together in one step, as if all its tokens had been
// chosen already. The first position after the prefix, if there is one, runs with them if its
// LogitRequest does not depend on the prefix. With materialized logits positions run one by one,
// because FoldMaterializedRow reads the tokens chosen before.
template <class View>
DRAGOMAN_HD void LookAhead(const View& slot) {
  SlotState& s = *slot.state;
  const int32_t forced = s.rules.prefix_length;
  if (forced == 0 || s.options.materialized_logits()) return;
  const bool alone = s.rules.constraints.phrases > 0 || s.rules.forbidden.nodes > 0 ||
                     forced >= s.options.max_tokens;
  s.ahead = alone ? forced : forced + 1;
  int32_t* const tokens = slot.arrays.tokens + slot.At(0, 1);
  auto* const ancestry = slot.Ancestry(0);
  for (int32_t i = 0; i < forced; ++i) {
    tokens[i] = s.rules.prefix[i];
    ancestry[i] = 0;
  }
  ancestry[forced] = 0;
}

}  // namespace slot_internal

// Begins the search of the segment in `state`. There is one live hypothesis, in lane 0, or with
// sampling one for each draw. Each begins with the start token of the options or, if they have
// none, with `start_token`. REQUIRES: apart from options and rules, `state` is new.
template <class View>
DRAGOMAN_HD void BeginSlot(const View& slot, int32_t start_token) {
  SlotState& s = *slot.state;
  s.status = SlotStatus::kRunning;
  const int32_t start = s.options.start_token >= 0 ? s.options.start_token : start_token;
  s.live = s.options.sampling.enabled ? s.options.beam : 1;
  for (int lane = 0; lane < s.options.beam; ++lane) slot.Finished(lane) = FinishedHypothesis{};
  for (int lane = 0; lane < s.live; ++lane) {
    slot.arrays.tokens[slot.At(lane, 0)] = start;
    slot.arrays.token_log_probs[slot.At(lane, 0)] = 0.0F;
    slot.LogProbOf(lane) = 0.0F;
    slot.RankOf(lane) = lane;
    slot.Constraints(lane) = StartConstraints(s.rules.constraints);
    slot.Forbidden(lane) = 0;
  }
  slot_internal::LookAhead(slot);
}

// Puts a segment into a free slot and begins its search.
template <class View>
DRAGOMAN_HD void StartSlot(const View& slot, const SearchOptions& options,
                           const SegmentRules& rules, int32_t start_token) {
  SlotState& s = *slot.state;
  s = SlotState{};
  s.options = options;
  s.rules = rules;
  BeginSlot(slot, start_token);
}

}  // namespace dragoman::kernels
