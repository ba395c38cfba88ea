// The reference decoders (reference_decode.h) for production's options. Tests of immediate
// finalisation compare the production beam step with them on scripted models.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/search/options.h"
#include "tests/engine/support/reference_decode.h"
#include "tests/engine/support/scripted_model.h"

namespace dragoman::testing {

// REQUIRES: immediate finalisation with one of transformers' stop rules.
inline std::vector<ReferenceHypothesis> ReferenceSearch(const Script& script,
                                                        const std::vector<int32_t>& source,
                                                        const kernels::SearchOptions& o,
                                                        const std::vector<int32_t>& banned) {
  ReferenceOptions r;
  r.beam = o.beam;
  r.max_tokens = o.max_tokens;
  r.min_tokens = o.min_tokens;
  r.forced_eos = o.forced_eos == kernels::ForcedEos::kModel  ? ReferenceForcedEos::kModel
                 : o.forced_eos == kernels::ForcedEos::kZero ? ReferenceForcedEos::kZero
                                                             : ReferenceForcedEos::kNone;
  r.stop = o.stop_rule == kernels::StopRule::kFirstK      ? ReferenceStop::kFirstK
           : o.stop_rule == kernels::StopRule::kHeuristic ? ReferenceStop::kHeuristic
                                                          : ReferenceStop::kNever;
  r.length_penalty = static_cast<double>(o.length_penalty);
  r.patience = static_cast<double>(o.patience);
  r.renormalize = o.renormalize;
  r.banned = banned;
  const ReferenceModel model = {o.eos, [&](std::span<const int32_t> prefix) {
                                  const std::vector<float> logits = script(source, prefix);
                                  return std::vector<double>(logits.begin(), logits.end());
                                }};
  std::vector<ReferenceHypothesis> nbest = ReferenceImmediate(model, r).nbest;
  nbest.resize(std::min(nbest.size(), static_cast<size_t>(o.num_alternatives)));
  return nbest;
}

}  // namespace dragoman::testing
