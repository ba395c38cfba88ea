// Beam search with immediate finalisation, written once more and as plainly as possible: whole
// hypotheses copied, all candidates sorted, in double. What transformers' generate() does for one
// sentence; the oracle of the production beam step on scripted models.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/decide/options.h"
#include "tests/engine/support/scripted_model.h"

namespace dragoman::testing {

struct ReferenceHypothesis {
  std::vector<int32_t> tokens;
  double log_prob = 0;
  double score = 0;
};

inline std::vector<ReferenceHypothesis> ReferenceSearch(const Script& script,
                                                        const std::vector<int32_t>& source,
                                                        const SearchOptions& o,
                                                        const std::vector<int32_t>& banned) {
  struct Candidate {
    double log_prob;
    size_t parent;
    int32_t token;
  };
  const auto beam = static_cast<size_t>(o.beam);
  std::vector<ReferenceHypothesis> live(1);
  std::vector<ReferenceHypothesis> done;
  size_t finished_ever = 0;
  for (int length = 0;; ++length) {
    const bool forced = o.forced_eos != ForcedEos::kNone && length == o.max_tokens;
    const bool last = o.forced_eos == ForcedEos::kNone && length + 1 == o.max_tokens;
    std::vector<Candidate> all;
    for (size_t p = 0; p < live.size(); ++p) {
      const std::vector<float> logits = script(source, live[p].tokens);
      std::vector<bool> masked(logits.size(), false);
      for (const int32_t id : banned) masked[static_cast<size_t>(id)] = true;
      if (length < o.min_tokens) masked[static_cast<size_t>(o.eos)] = true;
      double sum = 0;
      for (size_t i = 0; i < logits.size(); ++i) {
        if (!(o.renormalize && masked[i])) sum += std::exp(static_cast<double>(logits[i]));
      }
      for (size_t i = 0; i < logits.size(); ++i) {
        const bool eos = static_cast<int32_t>(i) == o.eos;
        if (forced ? !eos : masked[i]) continue;
        double log_prob = static_cast<double>(logits[i]) - std::log(sum);
        if (forced && o.forced_eos == ForcedEos::kZero) log_prob = 0;
        all.push_back({live[p].log_prob + log_prob, p, static_cast<int32_t>(i)});
      }
    }
    std::sort(all.begin(), all.end(),
              [](const Candidate& a, const Candidate& b) { return a.log_prob > b.log_prob; });
    std::vector<ReferenceHypothesis> next;
    for (size_t i = 0; i < all.size() && i < 2 * beam; ++i) {
      ReferenceHypothesis h = live[all[i].parent];
      h.log_prob = all[i].log_prob;
      const bool eos = all[i].token == o.eos;
      if (!eos) h.tokens.push_back(all[i].token);
      if (eos || last) {
        if (i >= beam) continue;
        h.score = h.log_prob / std::pow(length + 1, static_cast<double>(o.length_penalty));
        done.push_back(h);
        ++finished_ever;
      } else if (next.size() < beam) {
        next.push_back(h);
      }
    }
    std::stable_sort(done.begin(), done.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    if (done.size() > beam) done.resize(beam);
    live = next;
    if (live.empty()) break;
    if (beam == 1) {
      if (!done.empty()) break;
      continue;
    }
    if (o.stop_rule == StopRule::kFirstK) {
      if (static_cast<double>(finished_ever) >=
          std::max(1.0,
                   std::floor(static_cast<double>(beam) * static_cast<double>(o.patience) + 0.5))) {
        break;
      }
    } else if (done.size() == beam) {
      int reach = length + 1;
      if (o.stop_rule == StopRule::kNever && o.length_penalty > 0) {
        reach = o.max_tokens + (o.forced_eos == ForcedEos::kNone ? 0 : 1);
      }
      const double best =
          live.front().log_prob / std::pow(reach, static_cast<double>(o.length_penalty));
      if (done.back().score >= best) break;
    }
  }
  done.resize(std::min(done.size(), static_cast<size_t>(o.num_hypotheses)));
  return done;
}

}  // namespace dragoman::testing
