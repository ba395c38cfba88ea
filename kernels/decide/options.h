// A segment's search options as plain data: what the wire's message has become when it reaches the
// decision text. decoding.md is normative; its section numbers are named at each field.
#pragma once

#include <cstdint>

namespace dragoman {

// Published limits of the decision text; the wire has the same (architecture.md, "Step").
inline constexpr int kMaxBeam = 64;
inline constexpr int kMaxWantedIds = 160;

// When a search with immediate finalisation is over (a.7).
enum class StopRule : uint8_t {
  kFirstK,     // once round(beam * patience) hypotheses have finished
  kHeuristic,  // with `beam` finished: once no live one can beat the worst kept at today's length
  kNever,      // the same, at the length limit
};

// What a hypothesis that reaches the limit of real tokens gets (section 0, a.7).
enum class ForcedEos : uint8_t {
  kModel,  // one more position where only EOS is possible, at its model log-prob
  kZero,   // the same position, EOS at log-prob 0
  kNone,   // it is final as it is, without EOS
};

// From best to worst: a text of several segments has the worst of theirs.
enum class FinishReason : uint8_t { kEos, kLength, kConstraintsUnmet, kNoOutput };

// Immutable while its segment is in a slot.
struct SearchOptions {
  int32_t beam = 1;            // 1..kMaxBeam
  int32_t num_hypotheses = 1;  // n-best returned, 1..beam
  int32_t max_tokens = 1;      // real tokens: without the start token and EOS; >= 1
  int32_t min_tokens = 0;      // EOS is masked below this many real tokens (a.8)
  int32_t eos = 0;
  StopRule stop_rule = StopRule::kHeuristic;
  ForcedEos forced_eos = ForcedEos::kNone;
  float length_penalty = 1.0F;  // alpha of the divisor len^alpha; the table below carries it
  float patience = 1.0F;        // FIRST_K only; > 0
  bool renormalize = false;     // masks before the softmax instead of after (a.7, hf)
  bool need_log_probs = true;   // false: beam 1, no score asked for; the normaliser is skipped (b)
};

}  // namespace dragoman
