#include "engine/schedule/segment.h"

#include <cmath>

namespace dragoman::engine {

kernels::SegmentRules Segment::Rules() const {
  kernels::SegmentRules rules;
  rules.divisor = divisor.data();
  rules.prefix = prefix.data();
  rules.prefix_length = static_cast<int32_t>(prefix.size());
  rules.constraints = constraints.set();
  if (forbidden != nullptr) {
    rules.forbidden = forbidden->automaton();
    rules.excluded = forbidden->excluded();
  }
  rules.source = {source_ids.data(), static_cast<int32_t>(source_ids.size())};
  return rules;
}

std::vector<float> LengthDivisors(int max_tokens, float alpha, kernels::LengthPenalty penalty) {
  std::vector<float> divisors(static_cast<size_t>(max_tokens) + 2);
  for (size_t len = 0; len < divisors.size(); ++len) {
    const auto n = static_cast<double>(len);
    const double base = penalty == kernels::LengthPenalty::kGnmt ? (5.0 + n) / 6.0 : n;
    divisors[len] = static_cast<float>(alpha == 1 ? base : std::pow(base, double{alpha}));
  }
  return divisors;
}

}  // namespace dragoman::engine
