// What the tests of the operations share: seeded random numbers, instruction sets, comparison of
// bits and of values.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/isa.h"

namespace dragoman {

inline std::vector<float> RandomFloats(size_t n, uint32_t seed, float deviation = 1.0F) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0.0F, deviation);
  std::vector<float> x(n);
  for (float& v : x) v = normal(generator);
  return x;
}

inline bool SameBits(const float* a, const float* b, size_t n) {
  return std::memcmp(a, b, n * sizeof(float)) == 0;
}

// The largest |a - b| / (floor + |b|).
inline double WorstError(const std::vector<float>& a, const std::vector<double>& b,
                         double floor = 1.0) {
  double worst = a.size() == b.size() ? 0.0 : INFINITY;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const double error = std::abs(a[i] - b[i]) / (floor + std::abs(b[i]));
    if (!(error <= worst)) worst = error;  // NaN counts as worst
  }
  return worst;
}

// Thread counts to try. ThreadSanitizer does not know libgomp's barriers and would report races
// that are none.
#ifdef __SANITIZE_THREAD__
inline const std::vector<int> kThreadCounts = {1};
#else
inline const std::vector<int> kThreadCounts = {1, 2, 3};
#endif

// Runs a test once for each instruction set of this machine.
class PerIsa : public ::testing::TestWithParam<cpu::Isa> {
 protected:
  PerIsa() { cpu::UseIsaForTest(GetParam()); }
  ~PerIsa() override { cpu::UseIsaForTest(cpu::SupportedIsas().back()); }
};

inline std::string IsaTestName(const ::testing::TestParamInfo<cpu::Isa>& info) {
  return std::string(cpu::IsaName(info.param));
}

#define DRAGOMAN_FOR_EVERY_ISA(suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(Cpu, suite, ::testing::ValuesIn(::dragoman::cpu::SupportedIsas()), \
                           ::dragoman::IsaTestName)

}  // namespace dragoman
