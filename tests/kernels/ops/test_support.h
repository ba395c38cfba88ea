// Code that the operations' tests share: random numbers, instruction sets, comparisons.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/compute_type.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/quantized_matrix.h"

namespace dragoman::kernels {

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

// Returns the largest |a - b| / (floor + |b|).
inline double WorstError(const std::vector<float>& a, const std::vector<double>& b,
                         double floor = 1.0) {
  double worst = a.size() == b.size() ? 0.0 : INFINITY;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const double error = std::abs(a[i] - b[i]) / (floor + std::abs(b[i]));
    if (!(error <= worst)) worst = error;  // NaN counts as worst
  }
  return worst;
}

// The thread counts of the tests.
inline const std::vector<int> kThreadCounts = {1, 2, 3};

// Returns the instruction sets that differ in f32. Higher ones use the f32 loops of the last of
// these.
inline std::vector<cpu::Isa> FloatIsas() {
  std::vector<cpu::Isa> isas;
  for (const cpu::Isa isa : cpu::SupportedIsas()) {
    if (isa == cpu::Isa::kBaseline || isa == cpu::Isa::kAvx2 || isa == cpu::Isa::kAvx512 ||
        isa == cpu::Isa::kNeon) {
      isas.push_back(isa);
    }
  }
  return isas;
}

// Uses an instruction set during its lifetime.
class WithIsa {
 public:
  explicit WithIsa(cpu::Isa isa) { cpu::UseIsaForTest(isa); }
  ~WithIsa() { cpu::UseIsaForTest(cpu::SupportedIsas().back()); }
  WithIsa(const WithIsa&) = delete;
  WithIsa& operator=(const WithIsa&) = delete;
};

// Runs a test once for each instruction set of this machine.
class PerIsa : public ::testing::TestWithParam<cpu::Isa> {
  const WithIsa with_{GetParam()};
};

inline std::string IsaTestName(const ::testing::TestParamInfo<cpu::Isa>& info) {
  return std::string(cpu::IsaName(info.param));
}

#define DRAGOMAN_FOR_EVERY_ISA(suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(Cpu, suite, ::testing::ValuesIn(::dragoman::kernels::FloatIsas()), \
                           ::dragoman::kernels::IsaTestName)

// The instruction sets and types for tests of code with several number types.
struct IsaAndType {
  cpu::Isa isa;
  ComputeType type;
};

inline std::vector<IsaAndType> AllIsasAndTypes() {
  std::vector<IsaAndType> all;
  for (const cpu::Isa isa : FloatIsas()) all.push_back({isa, ComputeType::kFloat32});
  for (const cpu::Isa isa : cpu::SupportedIsas()) {
    all.push_back({isa, ComputeType::kBFloat16});
    all.push_back({isa, ComputeType::kInt8});
  }
  return all;
}

class PerIsaAndType : public ::testing::TestWithParam<IsaAndType> {
 protected:
  ComputeType type() const { return GetParam().type; }

 private:
  const WithIsa with_{GetParam().isa};
};

inline std::string IsaAndTypeTestName(const ::testing::TestParamInfo<IsaAndType>& info) {
  return std::string(cpu::IsaName(info.param.isa)) + "_" + ComputeTypeName(info.param.type);
}

#define DRAGOMAN_FOR_EVERY_ISA_AND_TYPE(suite)                                          \
  INSTANTIATE_TEST_SUITE_P(Cpu, suite,                                                  \
                           ::testing::ValuesIn(::dragoman::kernels::AllIsasAndTypes()), \
                           ::dragoman::kernels::IsaAndTypeTestName)

// Returns rows of k numbers as this type's products use them (kernels/cpu/quantized_table.h),
// converted back to f32. limit(row): the largest magnitude of an integer.
template <class Limit>
std::vector<float> AsOperand(ComputeType type, std::vector<float> x, int64_t k, Limit limit) {
  if (type == ComputeType::kFloat32) return x;
  for (size_t row = 0; row < x.size(); row += static_cast<size_t>(k)) {
    const int row_limit = limit(x.data() + row);
    float max = 0.0F;
    for (int64_t i = 0; i < k; ++i) max = std::max(max, std::abs(x[row + i]));
    for (int64_t i = 0; i < k; ++i) {
      float& v = x[row + i];
      if (type == ComputeType::kInt8) {
        const auto most = static_cast<float>(row_limit);
        v = max == 0.0F ? 0.0F : std::nearbyint(v * (most / max)) * (max / most);
      } else {
        uint32_t bits;
        std::memcpy(&bits, &v, sizeof bits);
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000U;
        std::memcpy(&v, &bits, sizeof v);
      }
    }
  }
  return x;
}

inline std::vector<float> AsOperand(ComputeType type, std::vector<float> x, int64_t k) {
  return AsOperand(type, std::move(x), k, [](const float*) { return cpu::kRowLimit; });
}

// Does the same for weights [., k], with the limits of the current instruction set.
inline std::vector<float> AsWeights(ComputeType type, std::vector<float> w, int64_t k) {
  return AsOperand(type, std::move(w), k,
                   [k](const float* column) { return cpu::WeightLimit(column, k); });
}

}  // namespace dragoman::kernels
