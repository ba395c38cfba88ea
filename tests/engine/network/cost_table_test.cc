// Tests the costs of operations whose weights, activations and attention memory have different
// element types.
#include "engine/network/cost_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "tests/engine/network/opus_base.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A step with the element sizes of int8 on a CPU: weights 1 byte, K and V 2 bytes.
constexpr OpRows kRows{256, 64, 16, 30, 4, 1, 2};

double Bytes(std::string_view name, const OpRows& rows) {
  for (const StepCost& cost : CostsByName(OpusBase().decoder, OpusBase(), rows)) {
    if (cost.name == name) return cost.cost.bytes;
  }
  ADD_FAILURE() << "no operation is called " << name;
  return 0;
}

TEST(CostTable, CountsEachKindOfElementWithItsBytes) {
  constexpr double kRowBytes = 256 * 512;
  EXPECT_DOUBLE_EQ(Bytes("embedding", kRows), kRowBytes * (1 + 4));
  EXPECT_DOUBLE_EQ(Bytes("feed-forward up", kRows), 6 * (512.0 * 2048 + 4 * kRowBytes * (1 + 4)));
  EXPECT_DOUBLE_EQ(Bytes("feed-forward norm", kRows), 6 * 4 * kRowBytes * 3);
  // Reads q, k and v, writes the context, appends k and v, and reads k and v of all positions.
  EXPECT_DOUBLE_EQ(Bytes("self-attention", kRows), 6 * kRowBytes * (4 * 4 + 2 * (2 + 2 * 16)));
  EXPECT_DOUBLE_EQ(Bytes("cross-attention", kRows),
                   6 * (kRowBytes * 4 * 2 + 2 * 64 * 512.0 * 2 * 30));
  EXPECT_DOUBLE_EQ(Bytes("output layer", kRows), 512.0 * 58101 + 4 * kRowBytes);
}

TEST(CostTable, HasALineForEachNameThatRanAndTheirSum) {
  const std::vector<StepCost> costs = {
      {"one", 2, {4e6, 8e9}}, {"none", 0, {}}, {"other", 1, {0, 0}}};
  const std::vector<double> seconds = {20e-6, 0, 5e-6};
  const std::string table = TableText(costs, {4e12, 800e12}, seconds);
  EXPECT_THAT(table, HasSubstr("\none                       2       20.0       4.00       8.00"
                               "       10.0     50 %\n"));
  EXPECT_THAT(table, HasSubstr("\nother                     1        5.0       0.00       0.00"
                               "        0.0      0 %\n"));
  EXPECT_THAT(table, HasSubstr("\nstep                      3       25.0       4.00       8.00"
                               "       10.0     40 %\n"));
  EXPECT_THAT(table, Not(HasSubstr("none")));
  EXPECT_EQ(RowsText(kRows, kernels::ComputeType::kInt8),
            "256 rows, 64 slots, 16.0 self positions, 30.0 source positions, int8\n");
}

}  // namespace
}  // namespace dragoman::engine
