// The searches that the papers compare, as options of a request.
#pragma once

#include "engine/api/engine.h"

namespace dragoman::bench {

// FIXED-OURS: on-beam finalisation, nothing pruned (SEARCH.md a.3).
inline DecodingOptions FixedOurs(int beam) {
  DecodingOptions asked;
  asked.profile = Profile::kPaper;
  asked.beam_size = beam;
  asked.num_alternatives = beam;
  return asked;
}

// FIXED: immediate finalisation, over once `beam` hypotheses have ended.
inline DecodingOptions Fixed(int beam) {
  DecodingOptions asked = FixedOurs(beam);
  asked.finalisation = Finalisation::kImmediate;
  asked.stop_rule = StopRule::kFirstK;
  return asked;
}

// VAR.
inline DecodingOptions Variable(int beam, float delta, int max_candidates) {
  DecodingOptions asked = FixedOurs(beam);
  asked.pruning.absolute_delta = delta;
  asked.pruning.max_candidates = max_candidates;
  return asked;
}

}  // namespace dragoman::bench
