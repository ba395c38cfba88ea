#include "tests/engine/support/reference_sampling.h"

#include <algorithm>
#include <cmath>

#include "tests/engine/support/reference_scores.h"

namespace dragoman::testing {

std::array<uint32_t, 4> Philox4x32(const std::array<uint32_t, 4>& counter,
                                   const std::array<uint32_t, 2>& key) {
  std::array<uint32_t, 4> c = counter;
  std::array<uint32_t, 2> k = key;
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * c[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(a)};
    k[0] += 0x9E3779B9;  // the golden ratio
    k[1] += 0xBB67AE85;  // the square root of 3, minus 1
  }
  return c;
}

double SamplingUniform(uint64_t seed, uint32_t ordinal, uint32_t alternative, uint32_t position) {
  const auto words = Philox4x32({ordinal, alternative, position, 0},
                                {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return static_cast<double>(words[0]) * 0x1.0p-32;
}

Distribution FilteredDistribution(const std::vector<double>& scores, double temperature,
                                  const ReferenceSampling& sampling, GapMeter* gap) {
  std::vector<std::pair<double, int32_t>> order;  // minus the score, id
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] != kNegInf) order.emplace_back(-scores[i] / temperature, static_cast<int32_t>(i));
  }
  std::sort(order.begin(), order.end());
  const size_t looked_at = sampling.top_k > 0 ? static_cast<size_t>(sampling.top_k) : order.size();
  for (size_t i = 1; i < order.size() && i <= looked_at; ++i) {
    gap->Note(order[i - 1].first, order[i].first);
  }
  if (sampling.top_k > 0 && order.size() > static_cast<size_t>(sampling.top_k)) {
    order.resize(static_cast<size_t>(sampling.top_k));
  }
  if (order.empty()) return {};

  std::vector<double> kept;
  kept.reserve(order.size());
  for (const auto& [minus, id] : order) kept.push_back(-minus);
  kept = LogSoftmax(kept);
  Distribution result;
  double sum = 0;
  for (size_t i = 0; i < order.size() && (i == 0 || sum < sampling.top_p); ++i) {
    result.emplace_back(order[i].second, std::exp(kept[i]));
    sum += result.back().second;
    if (i + 1 < order.size()) gap->Note(sum, sampling.top_p);
  }
  for (auto& [id, probability] : result) probability /= sum;
  return result;
}

namespace {

// Returns the log-probabilities of the unchanged model.
std::vector<double> ModelScores(const ReferenceModel& model, const ReferenceOptions& o,
                                const TokenList& tokens) {
  std::vector<double> x = model.logits(tokens);
  for (const int32_t id : o.excluded) x[static_cast<size_t>(id)] = kNegInf;
  return LogSoftmax(x);
}

}  // namespace

ReferenceResult ReferenceSample(const ReferenceModel& model, const ReferenceOptions& options,
                                const ReferenceSampling& sampling) {
  ReferenceOptions o = options;
  o.temperature = 1;
  ReferenceResult result;
  GapMeter gap;
  for (int32_t alternative = 0; alternative < sampling.alternatives; ++alternative) {
    ReferenceHypothesis h;
    while (!h.finished) {
      const std::vector<double> scores = StepScores(model, o, h.tokens);
      ++result.expansions;
      const Distribution distribution =
          FilteredDistribution(scores, options.temperature, sampling, &gap);
      if (distribution.empty()) break;
      const double u =
          SamplingUniform(sampling.seed, sampling.ordinal, static_cast<uint32_t>(alternative),
                          static_cast<uint32_t>(h.tokens.size()));
      int32_t drawn = distribution.back().first;
      double sum = 0;
      for (const auto& [id, probability] : distribution) {
        sum += probability;
        if (id != distribution.back().first) gap.Note(sum, u);
        if (sum > u) {
          drawn = id;
          break;
        }
      }
      const bool only_one = h.tokens.size() < o.forced_prefix.size() ||
                            h.tokens.size() == static_cast<size_t>(o.max_tokens);
      h.log_prob +=
          (only_one ? scores : ModelScores(model, o, h.tokens))[static_cast<size_t>(drawn)];
      if (drawn == model.eos) {
        h.finished = h.has_eos = true;
      } else {
        h.tokens.push_back(drawn);
        h.finished = o.forced_eos == ReferenceForcedEos::kNone &&
                     h.tokens.size() == static_cast<size_t>(o.max_tokens);
      }
    }
    if (!h.finished) continue;
    h.score = h.log_prob / LengthDivisor(o, h.tokens.size() + (h.has_eos ? 1 : 0));
    result.nbest.push_back(h);
  }
  result.gap = gap.gap();
  return result;
}

}  // namespace dragoman::testing
