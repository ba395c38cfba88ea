#include "engine/schedule/segment.h"

#include <cmath>

namespace dragoman {

std::vector<float> LengthDivisors(int max_tokens, float alpha) {
  std::vector<float> divisors(static_cast<size_t>(max_tokens) + 2);
  for (size_t len = 0; len < divisors.size(); ++len) {
    divisors[len] = static_cast<float>(std::pow(static_cast<double>(len), double{alpha}));
  }
  return divisors;
}

}  // namespace dragoman
