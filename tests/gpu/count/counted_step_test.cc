// Tests that the counted step has the nodes of the graph, and how close its times are to those
// measured on a card.
#include "tests/gpu/count/counted_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/gpu/bench/base_model.h"
#include "tests/gpu/count/measured.h"

namespace dragoman::bench {
namespace {

const engine::Program& Base() {
  static const engine::Program program = ProgramOf(BaseSpec());
  return program;
}

engine::StepWork WorkOf(int rows) {
  engine::StepWork work;
  work.program = &Base();
  work.type = kernels::ComputeType::kFloat16;
  work.rows = work.fused_rows = rows;
  work.slots = rows / 4;
  work.self_positions = 15;
  work.source_positions = 30;
  return work;
}

const CountedNode& Named(const std::vector<CountedNode>& nodes, const std::string& name) {
  for (const CountedNode& node : nodes) {
    if (node.name == name) return node;
  }
  ADD_FAILURE() << "no node is called " << name;
  return nodes.front();
}

// The recorded graphs are compared with the same file (StepNodes).
TEST(CountedStep, HasTheNodesOfTheGraph) {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/gpu/graph_nodes.json");
  const nlohmann::json budgets = nlohmann::json::parse(file);
  CountedCard card;
  card.few_rows = false;  // as in the emulated graphs
  for (const bool int8 : {false, true}) {
    card.quantized_layers = int8;
    const std::string name = int8 ? "float16, layers in int8, " : "float16, ";
    for (const int rows : {8, 1024}) {
      int64_t nodes = 0;
      for (const CountedNode& node : CountStep(WorkOf(rows), rows, card, {})) nodes += node.nodes;
      EXPECT_EQ(nodes, budgets.at(name + std::to_string(rows) + " rows").get<int64_t>());
    }
  }
}

TEST(CountedStep, HasTheCostsOfTheProgramsTable) {
  const engine::StepWork work = WorkOf(1024);
  const auto nodes = CountStep(work, 1024, {}, {});
  for (const engine::StepCost& cost : engine::CostsOf(work)) {
    if (cost.launches == 0) continue;
    EXPECT_EQ(Named(nodes, cost.name).cost.flop, cost.cost.flop) << cost.name;
    EXPECT_EQ(Named(nodes, cost.name).cost.bytes, cost.cost.bytes) << cost.name;
    EXPECT_EQ(Named(nodes, cost.name).nodes, cost.launches) << cost.name;
  }
}

TEST(CountedStep, IsNeverBelowTheFloor) {
  const CountedCard card;
  const engine::DeviceRates rates{card.memory_bytes_per_second, card.flop_per_second};
  for (const int rows : {4, 256, 4096}) {
    const engine::StepWork work = WorkOf(rows);
    const auto nodes = CountStep(work, std::max(rows, 8), card, {});
    for (const engine::StepCost& cost : engine::CostsOf(work)) {
      if (cost.launches == 0 || Named(nodes, cost.name).cost.flop == 0) continue;
      if (cost.cost.bytes / 1e6 < 60 && rows < 4096) continue;  // the bytes may be in L2
      EXPECT_GE(Named(nodes, cost.name).seconds * 1.3, engine::FloorSeconds(cost.cost, rates))
          << cost.name;
    }
  }
}

// A smaller number of tokens per pass shortens the wait of a step that runs at the same time.
TEST(CountedWait, IsAsLongAsThePassAndNoLongerThanItsKernelsTakeTurns) {
  const auto step = CountStep(WorkOf(4), 8, {}, {});
  int64_t nodes = 0;
  for (const CountedNode& node : step) nodes += node.nodes;
  double before = 0;
  for (const int segments : {16, 64, 256}) {
    const auto pass =
        CountEncoderPass(Base(), kernels::ComputeType::kFloat16, segments, 32, {}, {});
    const CountedWait wait = WaitBehind(pass, step);
    EXPECT_EQ(wait.pass_seconds, Seconds(pass));
    EXPECT_LE(wait.seconds, wait.pass_seconds);
    EXPECT_LE(wait.seconds, static_cast<double>(nodes) * wait.longest_kernel_seconds);
    EXPECT_GT(wait.longest_kernel_seconds, 0);
    EXPECT_GT(wait.seconds, before);
    before = wait.seconds;
  }
  // A step of one node waits for one kernel.
  const std::vector<CountedNode> one = {CountedNode{.name = "one", .nodes = 1}};
  const auto pass = CountEncoderPass(Base(), kernels::ComputeType::kFloat16, 256, 32, {}, {});
  const CountedWait wait = WaitBehind(pass, one);
  EXPECT_EQ(wait.seconds, wait.longest_kernel_seconds);
  EXPECT_LT(wait.seconds, wait.pass_seconds / 4);
}

constexpr char kResults[] = DRAGOMAN_SOURCE_DIR "/tests/bench/results/";

// Covers every size that gpu_bench measures with lists of four: wgmma's code as it is, and
// mma.sync's code compiled for 9.0, each in float16 and int8. The tolerance is a tenth.
TEST(CountedOutputLayer, IsWhatAnH200TookOnIt) {
  const auto expect = [](const MeasuredLayer& layer, OutputCode code, bool quantized) {
    if (layer.k > 4) return 0;
    const double measured = quantized ? layer.int8_seconds : layer.seconds;
    CountedCard card = CountedCards().front();
    card.output = code;
    card.quantized_output = quantized;
    const engine::Program program = ProgramOf(BaseSpec(layer.vocabulary));
    engine::StepWork work = WorkOf(layer.rows);
    work.program = &program;
    const double counted = OutputSeconds(CountStep(work, layer.rows, card, {}));
    EXPECT_NEAR(counted / measured, 1, 0.1)
        << (code == OutputCode::kMma ? "mma, " : "wgmma, ")
        << (quantized ? "int8, V " : "float16, V ") << layer.vocabulary << ", " << layer.rows
        << " rows: " << measured * 1e6 << " us";
    return 1;
  };
  int points = 0;
  const std::string results = kResults;
  for (const bool quantized : {false, true}) {
    for (const MeasuredLayer& layer :
         ReadOutputLayers(results + "2026-11-27-nvidia-h200/output_layer-after.json")) {
      points += expect(layer, OutputCode::kHopper, quantized);
    }
    for (const MeasuredLayer& layer :
         ReadOutputLayers(results + "2026-11-27-nvidia-h200/output_layer-mma.json")) {
      points += expect(layer, OutputCode::kMma, quantized);
    }
  }
  for (const MeasuredLayer& layer :
       ReadAblation(results + "2026-11-26-nvidia-h200/fused-ablation.txt")) {
    points += expect(layer, OutputCode::kHopper, false);
  }
  EXPECT_EQ(points, 4 * 12 + 6);
}

// The estimate of a whole step must be within a fifth of the measured time. Errors of its parts may
// cancel.
TEST(CountedStep, IsWhatAnH200TookForIt) {
  const auto steps =
      ReadGraphSteps(std::string(kResults) + "2026-11-27-nvidia-h200/graph_step-after.json");
  EXPECT_EQ(steps.size(), 8U);
  for (const MeasuredStep& step : steps) {
    CountedCard card = CountedCards().front();
    card.overlaps = step.early;
    engine::StepWork work = WorkOf(step.rows);
    work.self_positions = 32.5;  // TimeCudaSteps (engine/profile/cuda_profile.h), over 30 steps
    const double counted = Seconds(CountStep(work, std::max(step.rows, 8), card, {}));
    EXPECT_NEAR(step.seconds / counted, 1, 0.2) << step.rows << " rows, early " << step.early;
  }
}

// Every line of a measured table of launches must have the name of a counted node.
TEST(MeasuredNodes, AreThoseOfACountedStep) {
  const auto tables =
      ReadStepTables(std::string(kResults) + "2026-11-26-nvidia-h200/step_table-after.txt");
  ASSERT_EQ(tables.size(), 4U);
  for (const MeasuredNodes& table : tables) {
    EXPECT_EQ(table.self_positions, 30.5);
    EXPECT_EQ(table.nodes.size(), 18U);
    const auto nodes = CountStep(WorkOf(table.rows), std::max(table.rows, 8), {}, {});
    for (const MeasuredNodes::Node& node : table.nodes) {
      EXPECT_EQ(Named(nodes, node.name).nodes, node.launches) << node.name;
      EXPECT_GT(node.seconds, 0) << node.name;
    }
  }
}

// From 8.0 on, K and V load at the same time if several rows share a warp. Code for 9.0 reads the
// slot a second time.
TEST(CountedStep, LoadsThatWaitForEachOtherAreThoseOfTheArchitecture) {
  for (const CountedCard& card : CountedCards()) {
    SCOPED_TRACE(card.name);
    engine::StepWork work = WorkOf(1024);
    work.self_positions = 33;    // two tiles
    work.source_positions = 33;  // the same
    const auto nodes = CountStep(work, 1024, card, {});
    const int cross = card.architecture == "75" ? 6 : card.architecture == "90a" ? 5 : 4;
    EXPECT_EQ(Named(nodes, "cross-attention").waits, cross);
    EXPECT_EQ(Named(nodes, "self-attention").waits, 6);
    EXPECT_EQ(Named(CountStep(WorkOf(256), 256, card, {}), "cross-attention").waits, 4);
  }
}

TEST(CountedStep, CardsWithoutTheFusedLayerStoreTheirLogits) {
  engine::StepWork work = WorkOf(4096);
  std::swap(work.fused_rows, work.materialized_rows);
  for (const CountedCard& card : CountedCards()) {
    if (card.output != OutputCode::kMaterialized) continue;
    const auto nodes = CountStep(work, 4096, card, {});
    const double logits = 4.0 * 4096 * 58101;
    EXPECT_EQ(Named(nodes, "fold logits").nodes, 8) << card.name;  // each of 512 rows
    EXPECT_GE(Named(nodes, "fold logits").seconds, logits / card.memory_bytes_per_second)
        << card.name;
    EXPECT_GE(Named(nodes, "logits").seconds, logits / card.memory_bytes_per_second) << card.name;
  }
}

TEST(CountedStep, TheTextHasL2AndWhatBounds) {
  const std::string text = CountedText(CountStep(WorkOf(4096), 4096, {}, {}));
  EXPECT_THAT(text, ::testing::ContainsRegex("^node .* L2 MB .* L2 us +bound by +us\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("\nfused output .* 1903.9 .* 346.2 +products +"));
  EXPECT_THAT(text, ::testing::ContainsRegex("\nself norm .* 75.5 .* 19.6 +L2 +"));
}

}  // namespace
}  // namespace dragoman::bench
