// Reference: sampling (SEARCH.md a.8), with its random numbers.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/engine/support/reference_model.h"

namespace dragoman::testing {

struct ReferenceSampling {
  int32_t top_k = 0;  // 0: off
  double top_p = 1;
  uint64_t seed = 0;
  uint32_t ordinal = 0;      // of the segment in its request
  int32_t alternatives = 1;  // independent draws
};

// Philox 4x32-10 (Salmon et al. 2011, Random123).
std::array<uint32_t, 4> Philox4x32(const std::array<uint32_t, 4>& counter,
                                   const std::array<uint32_t, 2>& key);

// Returns the number in [0, 1) of one draw: the first word of Philox over 2^32. Key: the seed, low
// word first. Counter: ordinal, alternative, position (tokens before the draw), 0.
double SamplingUniform(uint64_t seed, uint32_t ordinal, uint32_t alternative, uint32_t position);

using Distribution = std::vector<std::pair<int32_t, double>>;  // id, probability

// Returns the tokens of a row of scores that remain after temperature, top_k and top_p,
// renormalised, by descending probability, then id. Empty if all scores are -inf. Updates `gap`
// with the distances at the limits.
Distribution FilteredDistribution(const std::vector<double>& scores, double temperature,
                                  const ReferenceSampling& sampling, GapMeter* gap);

// Returns n draws as n hypotheses, in the order of the alternatives. Omits a draw that cannot
// continue. options.temperature acts here and not before the softmax. A score sums the
// log-probabilities of the unchanged model.
ReferenceResult ReferenceSample(const ReferenceModel& model, const ReferenceOptions& options,
                                const ReferenceSampling& sampling);

}  // namespace dragoman::testing
