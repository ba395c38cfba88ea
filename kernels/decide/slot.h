// A slot of the decoding batch: the state of one segment's search, and where its hypotheses lie.
//
// A hypothesis of a slot lives in a lane, 0..beam-1, in the order of rank; a slot maps its lanes to
// global lanes. (global lane, input position) addresses its token, the token's log-prob and its
// K/V: position 0 is the start token, position p >= 1 the p-th real token. Such an entry is written
// once and never moves. The ancestry row of a lane says, for each earlier position of the
// hypothesis that lives there, which lane of the slot wrote it; a reorder rewrites only that row.
//
// Plain data on raw pointers, for host and device. The arrays belong to the decoding batch; a slot
// is touched by one team at a time.
#pragma once

#include <cstdint>

#include "kernels/decide/host_device.h"
#include "kernels/decide/options.h"

namespace dragoman {

enum class SlotStatus : uint8_t {
  kFree,
  kRunning,
  kDone,      // finished hypotheses are in place; none: no output
  kBadNumber  // a row's logits held a NaN: the segment fails alone
};

// A hypothesis that has ended. Its real tokens but the last one come from its ancestry row.
struct FinishedHypothesis {
  float score = 0;         // log_prob / len^alpha; len counts EOS
  float log_prob = 0;      // raw sum, EOS included
  int32_t length = 0;      // positions behind it: real tokens in its ancestry row
  int32_t last_token = 0;  // what ended it: EOS, or with ForcedEos::kNone perhaps a real token
  float last_log_prob = 0;
};

struct SlotState {
  SearchOptions options;
  SlotStatus status = SlotStatus::kFree;
  int32_t length = 0;          // real tokens of every live hypothesis
  int32_t live = 0;            // live hypotheses, lanes 0..live-1
  int32_t finished = 0;        // kept finished hypotheses, at most `beam`
  int32_t finished_total = 0;  // all that ever finished
  int32_t paused = 0;          // steps since the slot last ran
  int32_t pages = 0;           // K/V pages its lanes hold
};

// Arrays over all global lanes. Rows have `stride` entries, stride >= max_tokens + 2.
struct LaneArrays {
  int32_t* tokens = nullptr;               // [lanes, stride]
  float* token_log_probs = nullptr;        // [lanes, stride]
  uint8_t* ancestry = nullptr;             // [lanes, stride]
  float* log_prob = nullptr;               // [lanes] sum of the live hypothesis
  FinishedHypothesis* finished = nullptr;  // [lanes]
  uint8_t* finished_ancestry = nullptr;    // [lanes, stride]
  int64_t stride = 0;
};

struct SlotView {
  SlotState* state = nullptr;
  const int32_t* lanes = nullptr;  // [beam] global lanes
  const float* divisor = nullptr;  // [max_tokens + 2] len^alpha by len, made on the host
  LaneArrays arrays;

  DRAGOMAN_HD int64_t At(int lane, int position) const {
    return lanes[lane] * arrays.stride + position;
  }
  DRAGOMAN_HD uint8_t* Ancestry(int lane) const { return arrays.ancestry + At(lane, 0); }

  // The lane of this slot that wrote `position` of the live hypothesis in `lane`.
  DRAGOMAN_HD int Writer(int lane, int position) const {
    return position == state->length ? lane : Ancestry(lane)[position];
  }

  // The real token number `index` (0-based) of the live hypothesis in `lane`.
  DRAGOMAN_HD int32_t Token(int lane, int index) const {
    return arrays.tokens[At(Writer(lane, index + 1), index + 1)];
  }

  DRAGOMAN_HD FinishedHypothesis& Finished(int index) const {
    return arrays.finished[lanes[index]];
  }
  DRAGOMAN_HD uint8_t* FinishedAncestry(int index) const {
    return arrays.finished_ancestry + At(index, 0);
  }
  // The real token number `index` < Finished(which).length of a finished hypothesis.
  DRAGOMAN_HD int32_t FinishedToken(int which, int index) const {
    return arrays.tokens[At(FinishedAncestry(which)[index + 1], index + 1)];
  }
  DRAGOMAN_HD float FinishedTokenLogProb(int which, int index) const {
    return arrays.token_log_probs[At(FinishedAncestry(which)[index + 1], index + 1)];
  }
};

// Puts a segment into a free slot: one live hypothesis, the start token, in lane 0.
DRAGOMAN_HD inline void StartSlot(const SlotView& slot, const SearchOptions& options,
                                  int32_t start_token) {
  SlotState& s = *slot.state;
  s = SlotState{};
  s.options = options;
  s.status = SlotStatus::kRunning;
  s.live = 1;
  slot.arrays.tokens[slot.At(0, 0)] = start_token;
  slot.arrays.token_log_probs[slot.At(0, 0)] = 0.0F;
  slot.arrays.log_prob[slot.lanes[0]] = 0.0F;
}

}  // namespace dragoman
