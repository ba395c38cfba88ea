// What the launches of a step must move and compute.
#include "engine/decode/cuda/step_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dragoman {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// OPUS-MT base at 1024 rows: the line of the design note that its floors are counted from.
StepWork Base() {
  StepWork work;
  work.shape = {512, 6, 6, 8, 8, 2048, 2048, 58101, 58101, 512};
  work.type = ComputeType::kFloat16;
  work.rows = 1024;
  work.slots = 256;
  work.self_positions = 15;
  work.source_positions = 30;
  work.fused_rows = 1024;
  return work;
}

StepCost Sum(const StepWork& work) {
  StepCost all;
  for (int i = 0; i < kStepOps; ++i) {
    const StepCost cost = CostOf(static_cast<StepOp>(i), work);
    all.launches += cost.launches;
    all.bytes += cost.bytes;
    all.flop += cost.flop;
  }
  return all;
}

TEST(StepCosts, EveryOperationHasAName) {
  for (int i = 0; i < kStepOps; ++i) EXPECT_STRNE(StepOpName(static_cast<StepOp>(i)), "");
}

TEST(StepCosts, CountProductsAsTheModelHasThem) {
  const StepWork work = Base();
  // 12 d^2 + 4 d ffn flop of layer products for each row and layer, less the cross-attention K/V
  // that the encoder makes.
  double products = 0;
  for (const StepOp op : {StepOp::kQueryKeyValue, StepOp::kSelfOutput, StepOp::kCrossQuery,
                          StepOp::kCrossOutput, StepOp::kUp, StepOp::kDown}) {
    products += CostOf(op, work).flop;
  }
  EXPECT_DOUBLE_EQ(products, 1024.0 * 6 * (12 * 512.0 * 512 + 4 * 512.0 * 2048));
  EXPECT_DOUBLE_EQ(CostOf(StepOp::kFused, work).flop, 2.0 * 1024 * 512 * 58101);
  // The weights once: 6 (6 d^2 + 2 d ffn) of the layers.
  const StepCost one_row = [&] {
    StepWork one = work;
    one.rows = one.fused_rows = one.slots = 1;
    return Sum(one);
  }();
  const double weights = 2.0 * (6 * (6 * 512.0 * 512 + 2 * 512.0 * 2048) + 512.0 * 58101);
  EXPECT_GT(one_row.bytes, weights);
  EXPECT_LT(one_row.bytes, 1.02 * weights);
}

TEST(StepCosts, CountKeysAndValues) {
  const StepWork work = Base();
  const double token = 2.0 * 512 * 2 * 6;  // K and V of all layers, float16
  EXPECT_NEAR(CostOf(StepOp::kSelfAttention, work).bytes, 1024 * token * 15,
              0.25 * 1024 * token * 15);
  // A source once for the four rows of its slot.
  EXPECT_NEAR(CostOf(StepOp::kCrossAttention, work).bytes, 256 * token * 30,
              0.15 * 256 * token * 30);
}

TEST(StepCosts, AreThoseOfTheWayThatTheOutputLayerTakes) {
  StepWork work = Base();
  EXPECT_EQ(CostOf(StepOp::kLogits, work).launches, 0);
  EXPECT_EQ(CostOf(StepOp::kGather, work).launches, 0);
  const StepCost fused = Sum(work);
  work.fused_rows = 0;
  work.stored_rows = 1024;
  EXPECT_EQ(CostOf(StepOp::kFused, work).launches, 0);
  const StepCost stored = Sum(work);
  EXPECT_DOUBLE_EQ(stored.flop, fused.flop);
  // Logits are written and read again.
  EXPECT_DOUBLE_EQ(stored.bytes - fused.bytes, 2.0 * 4 * 1024 * 58101);
}

TEST(StepCosts, FloorIsTheSlowerOfMemoryAndArithmetic) {
  const DeviceRates rates{4e12, 800e12};
  EXPECT_DOUBLE_EQ(FloorSeconds({1, 4e6, 0}, rates), 1e-6);
  EXPECT_DOUBLE_EQ(FloorSeconds({1, 4e6, 8e9}, rates), 1e-5);
}

TEST(StepCosts, TheTableHasALineForEachOperationThatRan) {
  std::array<double, kStepOps> seconds{};
  seconds.fill(20e-6);
  seconds[static_cast<size_t>(StepOp::kGather)] = 0;
  const std::string table = CostTable(Base(), {4e12, 800e12}, seconds);
  EXPECT_THAT(table, HasSubstr("1024 rows"));
  EXPECT_THAT(table, HasSubstr("copy 4.00 TB/s"));
  EXPECT_THAT(table, HasSubstr("fused output"));
  EXPECT_THAT(table, HasSubstr("\nstep "));
  EXPECT_THAT(table, Not(HasSubstr("gather rows")));
}

}  // namespace
}  // namespace dragoman
