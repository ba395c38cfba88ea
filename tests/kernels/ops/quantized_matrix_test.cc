// Tests that weights that are stored as int8 are packed unchanged.
#include "kernels/cpu/quantized_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "kernels/base/matrix_rows.h"
#include "kernels/base/op_context.h"
#include "kernels/cpu/quantized_table.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/output_layer.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

// Random bytes. The largest byte of a row is not 127, so quantizing the row's numbers again would
// change its bytes.
class MaterializedRows final : public MatrixRows {
 public:
  MaterializedRows(int64_t n, int64_t k) : k_(k) {
    std::mt19937 random(static_cast<unsigned>(n + k));
    for (int64_t i = 0; i < n * k; ++i) {
      bytes.push_back(static_cast<int8_t>(static_cast<int>(random() % 201) - 100));
    }
    for (int64_t r = 0; r < n; ++r) scales.push_back(0.001F * static_cast<float>(r % 7 + 1));
  }

  void Read(int64_t first, int64_t count, float* to) const override {
    for (int64_t i = first * k_; i < (first + count) * k_; ++i) {
      *to++ = bytes[static_cast<size_t>(i)] * scales[static_cast<size_t>(i / k_)];
    }
  }
  bool AreInt8() const override { return true; }
  void ReadInt8(int64_t first, int64_t count, int8_t* to, float* row_scales) const override {
    std::copy_n(bytes.begin() + first * k_, count * k_, to);
    std::copy_n(scales.begin() + first, count, row_scales);
  }

  std::vector<int8_t> bytes;
  std::vector<float> scales;

 private:
  const int64_t k_;
};

struct Shape {
  int64_t n;
  int64_t k;
};
constexpr Shape kShapes[] = {{16, 64}, {33, 100}, {1, 3}, {200, 640}};

// Returns the instruction sets that limit weights below 127 (`are_short`), or all others.
std::vector<cpu::Isa> IsasWithShortWeights(bool are_short) {
  std::vector<cpu::Isa> isas;
  for (const cpu::Isa isa : cpu::SupportedIsas()) {
    if ((isa == cpu::Isa::kAvx2) == are_short) isas.push_back(isa);
  }
  return isas;
}
using LongWeights = PerIsa;
using ShortWeights = PerIsa;

TEST_P(LongWeights, AreTheStoredBytesAndScales) {
  for (const auto& [n, k] : kShapes) {
    const MaterializedRows materialized(n, k);
    for (const int threads : {1, 3}) {
      OpContext context(threads, 1);
      const cpu::QuantizedMatrix matrix(context, ComputeType::kInt8, materialized, nullptr, n, k,
                                        0.0F);
      const auto* const strips = reinterpret_cast<const int8_t*>(matrix.all().strips);
      for (int64_t row = 0; row < n; ++row) {
        int32_t sum = 0;
        for (int64_t i = 0; i < k; ++i) {
          const int64_t group = row / 16 * matrix.groups() + i / 4;
          const int8_t stored_byte = materialized.bytes[static_cast<size_t>(row * k + i)];
          ASSERT_EQ(strips[(group * 16 + row % 16) * 4 + i % 4], stored_byte) << row << ", " << i;
          sum += stored_byte;
        }
        EXPECT_EQ(matrix.all().scale[row], materialized.scales[static_cast<size_t>(row)]);
        EXPECT_EQ(matrix.all().start[row], -128 * sum);
      }
    }
  }
}

TEST_P(ShortWeights, AreTheStoredNumbersRoundedOnceMore) {
  EXPECT_EQ(cpu::QuantizedKernels().weight_limit, 80);
  for (const auto& [n, k] : kShapes) {
    const MaterializedRows materialized(n, k);
    OpContext context;
    const cpu::QuantizedMatrix matrix(context, ComputeType::kInt8, materialized, nullptr, n, k,
                                      0.0F);
    std::vector<float> numbers(static_cast<size_t>(n * k)), row(static_cast<size_t>(k));
    materialized.Read(0, n, numbers.data());
    const auto expected = AsWeights(ComputeType::kInt8, numbers, k);
    for (int64_t r = 0; r < n; ++r) {
      matrix.UnpackRow(r, row.data());
      for (int64_t i = 0; i < k; ++i) {
        ASSERT_EQ(row[static_cast<size_t>(i)], expected[static_cast<size_t>(r * k + i)]) << r;
      }
    }
  }
}

// Products by pmaddubsw are exact if two neighbouring weights of one sign add up to at most 128,
// because the other factors are at most 255.
TEST_P(ShortWeights, OfNeighboursAddUpToHalfOf16Bits) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::student_t_distribution<float> outliers(2.0F);
  const int64_t k = 130;
  std::vector<float> column(static_cast<size_t>(k));
  int most = 0;
  int most_of_two = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    for (float& w : column) w = draw % 2 == 0 ? normal(random) : outliers(random);
    if (draw % 3 == 0) {  // one pair is far larger than all others
      const auto at = static_cast<size_t>(random() % (k / 2)) * 2;
      column[at] = 9.0F;
      column[at + 1] = std::uniform_real_distribution<float>(-9.0F, 9.0F)(random);
    }
    const RowsInMemory rows(column.data(), k);
    OpContext context;
    const cpu::QuantizedMatrix matrix(context, ComputeType::kInt8, rows, nullptr, 1, k, 0.0F);
    const auto* const strip = reinterpret_cast<const int8_t*>(matrix.all().strips);
    for (int64_t i = 0; i < k; i += 2) {
      const int8_t* const pair = strip + i / 4 * 64 + i % 4;
      most = std::max({most, std::abs(pair[0]), std::abs(pair[1])});
      most_of_two = std::max(most_of_two, std::abs(pair[0] + pair[1]));
    }
    ASSERT_LE(most_of_two, 128);
  }
  EXPECT_EQ(most, 80);
  EXPECT_EQ(most_of_two, 128);
}

TEST_P(ShortWeights, AreAsLongAsTheirNeighboursLet) {
  const auto limit = [](std::vector<float> column) {
    return cpu::WeightLimit(column.data(), static_cast<int64_t>(column.size()));
  };
  EXPECT_EQ(limit({1, 1}), 63);
  EXPECT_EQ(limit({-1, -1, 0.5}), 63);
  EXPECT_EQ(limit({1, -1}), 80);
  EXPECT_EQ(limit({0, 1, 1, 0}), 80);  // not neighbours, because pairs begin at even indices
  EXPECT_EQ(limit({1, 0.7F}), 75);
  EXPECT_EQ(limit({3e38F, 3e38F}), 63);
  EXPECT_EQ(limit({0, 0}), 80);
  EXPECT_EQ(limit({INFINITY, 1}), 80);
}

// A row that is read from a product's packed weights must equal the row of a table of the same
// numbers. (With limited weights it does not, because a table belongs to no product and uses the
// limit 127.)
TEST_P(LongWeights, ComeOutAsATableHasThem) {
  for (const auto& [n, k] : kShapes) {
    const MaterializedRows materialized(n, k);
    std::vector<float> numbers(static_cast<size_t>(n * k));
    materialized.Read(0, n, numbers.data());
    const RowsInMemory plain(numbers.data(), k);
    const auto d = static_cast<int>(k);
    OpContext context;
    for (const MatrixRows* rows :
         {static_cast<const MatrixRows*>(&materialized), static_cast<const MatrixRows*>(&plain)}) {
      for (const ComputeType type :
           {ComputeType::kInt8, ComputeType::kBFloat16, ComputeType::kFloat32}) {
        const auto output =
            OutputLayer::Create(*rows, nullptr, d, static_cast<int>(n), type, &context);
        std::unique_ptr<EmbeddingTable> table;
        if (type == ComputeType::kFloat32) {
          table = std::make_unique<FloatEmbedding>(numbers.data(), d);
        } else {
          table = std::make_unique<QuantizedEmbedding>(context, type, *rows, n, d);
        }
        std::vector<float> one(static_cast<size_t>(k)), two(one);
        for (int32_t row = 0; row < n; ++row) {
          const float* const expected = table->Row(row, one.data());
          const float* const found = output->table().Row(row, two.data());
          for (int64_t i = 0; i < k; ++i) ASSERT_EQ(found[i], expected[i]) << row << ", " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, LongWeights, ::testing::ValuesIn(IsasWithShortWeights(false)),
                         IsaTestName);
INSTANTIATE_TEST_SUITE_P(Cpu, ShortWeights, ::testing::ValuesIn(IsasWithShortWeights(true)),
                         IsaTestName);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ShortWeights);  // for a machine without AVX2

}  // namespace
}  // namespace dragoman::kernels
