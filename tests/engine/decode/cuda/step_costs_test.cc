// Checks the bytes that the launches of a step must move and the flop that they must compute.
#include "engine/decode/cuda/step_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/engine/network/opus_base.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// OPUS-MT base at 1024 rows: the case for which the design note computes its lower bounds.
StepWork Base() {
  StepWork work;
  work.program = &OpusBase();
  work.type = kernels::ComputeType::kFloat16;
  work.rows = 1024;
  work.slots = 256;
  work.self_positions = 15;
  work.source_positions = 30;
  work.fused_rows = 1024;
  return work;
}

StepCost Sum(const StepWork& work) {
  StepCost all;
  for (const StepCost& cost : CostsOf(work)) {
    all.launches += cost.launches;
    all.cost += cost.cost;
  }
  return all;
}

StepCost Of(std::string_view name, const StepWork& work) {
  for (const StepCost& cost : CostsOf(work)) {
    if (cost.name == name) return cost;
  }
  ADD_FAILURE() << "no launch is called " << name;
  return {};
}

TEST(StepCosts, CountTheLaunchesOfAStep) {
  // Each layer has eleven operations, and one more if rows may ask for alignments. The rest are the
  // embedding, the fused output layer and five operations of the batch.
  EXPECT_EQ(Sum(Base()).launches, 6 * 11 + 1 + 1 + 5);
  StepWork aligned = Base();
  aligned.aligned = true;
  EXPECT_EQ(Sum(aligned).launches, 6 * 12 + 1 + 1 + 5);
  EXPECT_EQ(Of("feed-forward norm", Base()).launches, 6);
  EXPECT_EQ(Of("embedding", Base()).launches, 1);
}

TEST(StepCosts, CountProductsAsTheModelHasThem) {
  const StepWork work = Base();
  // The layers' products take 12 d^2 + 4 d ffn flop for each row and layer. The encoder computes K
  // and V of cross-attention, so they do not count.
  double products = 0;
  for (const char* op : {"query, key, value", "self output", "cross query", "cross output",
                         "feed-forward up", "feed-forward down"}) {
    products += Of(op, work).cost.flop;
  }
  EXPECT_DOUBLE_EQ(products, 1024.0 * 6 * (12 * 512.0 * 512 + 4 * 512.0 * 2048));
  EXPECT_DOUBLE_EQ(Of(step_op::kFused, work).cost.flop, 2.0 * 1024 * 512 * 58101);
  // A step of one row reads all weights once: 6 (6 d^2 + 2 d ffn) of the layers, and the output
  // table.
  const StepCost one_row = [&] {
    StepWork one = work;
    one.rows = one.fused_rows = one.slots = 1;
    return Sum(one);
  }();
  const double weights = 2.0 * (6 * (6 * 512.0 * 512 + 2 * 512.0 * 2048) + 512.0 * 58101);
  EXPECT_GT(one_row.cost.bytes, weights);
  EXPECT_LT(one_row.cost.bytes, 1.02 * weights);
}

TEST(StepCosts, CountKeysAndValues) {
  const StepWork work = Base();
  const double token = 2.0 * 512 * 2 * 6;  // K and V of all layers, float16
  EXPECT_NEAR(Of("self-attention", work).cost.bytes, 1024 * token * 15, 0.25 * 1024 * token * 15);
  // The four rows of a slot read K and V of their source only once.
  EXPECT_NEAR(Of("cross-attention", work).cost.bytes, 256 * token * 30, 0.15 * 256 * token * 30);
}

TEST(StepCosts, AreThoseOfTheWayThatTheOutputLayerTakes) {
  StepWork work = Base();
  EXPECT_EQ(Of(step_op::kLogits, work).launches, 0);
  EXPECT_EQ(Of(step_op::kGather, work).launches, 0);
  const StepCost fused = Sum(work);
  work.fused_rows = 0;
  work.materialized_rows = 1024;
  EXPECT_EQ(Of(step_op::kFused, work).launches, 0);
  const StepCost materialized = Sum(work);
  EXPECT_DOUBLE_EQ(materialized.cost.flop, fused.cost.flop);
  // Materialized logits are written and then read.
  EXPECT_DOUBLE_EQ(materialized.cost.bytes - fused.cost.bytes, 2.0 * 4 * 1024 * 58101);
}

TEST(StepCosts, FloorIsTheSlowerOfMemoryAndArithmetic) {
  const DeviceRates rates{4e12, 800e12};
  EXPECT_DOUBLE_EQ(FloorSeconds({4e6, 0}, rates), 1e-6);
  EXPECT_DOUBLE_EQ(FloorSeconds({4e6, 8e9}, rates), 1e-5);
}

TEST(StepCosts, TheTableHasALineForEachOperationThatRan) {
  std::vector<double> seconds;
  for (const StepCost& cost : CostsOf(Base())) {
    seconds.push_back(cost.name == std::string_view(step_op::kGather) ? 0 : 20e-6);
  }
  const std::string table = CostTable(Base(), {4e12, 800e12}, seconds);
  EXPECT_THAT(table, HasSubstr("1024 rows"));
  EXPECT_THAT(table, HasSubstr("copy 4.00 TB/s"));
  EXPECT_THAT(table, HasSubstr("fused output"));
  EXPECT_THAT(table, HasSubstr("\nstep "));
  EXPECT_THAT(table, Not(HasSubstr("gather rows")));
}

}  // namespace
}  // namespace dragoman::engine
