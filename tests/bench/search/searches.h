// The searches that the papers compare, as request options.
#pragma once

#include "engine/api/engine.h"

namespace dragoman::bench {

// FIXED-OURS: on-beam finalisation, nothing pruned (SEARCH.md a.3).
inline engine::DecodingOptions FixedOurs(int beam) {
  engine::DecodingOptions asked;
  asked.profile = engine::Profile::kPaper;
  asked.beam_size = beam;
  asked.num_alternatives = beam;
  return asked;
}

// FIXED: immediate finalisation. Ends when `beam` hypotheses have finished.
inline engine::DecodingOptions Fixed(int beam) {
  engine::DecodingOptions asked = FixedOurs(beam);
  asked.finalisation = kernels::Finalisation::kImmediate;
  asked.stop_rule = kernels::StopRule::kFirstK;
  return asked;
}

// VAR.
inline engine::DecodingOptions Variable(int beam, float delta, int max_candidates) {
  engine::DecodingOptions asked = FixedOurs(beam);
  asked.pruning.absolute_delta = delta;
  asked.pruning.max_candidates = max_candidates;
  return asked;
}

}  // namespace dragoman::bench
