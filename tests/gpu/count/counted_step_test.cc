// The counted table of a step: that it has the nodes that the graph has, and what each figure does
// to it.
#include "tests/gpu/count/counted_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
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

// The same file that the recorded graphs are held against (StepNodes).
TEST(CountedStep, HasTheNodesOfTheGraph) {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/gpu/graph_nodes.json");
  const nlohmann::json budgets = nlohmann::json::parse(file);
  CountedCard card;
  card.few_rows = false;  // as the graphs are emulated
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
      if (cost.cost.bytes / 1e6 < 60 && rows < 4096) continue;  // may be in L2
      EXPECT_GE(Named(nodes, cost.name).seconds * 1.3, engine::FloorSeconds(cost.cost, rates))
          << cost.name;
    }
  }
}

TEST(CountedStep, FewerWarpsOnAMultiprocessorWaitLonger) {
  const std::string kernel = "_ZN25DecodeSelfAttentionKernelI6__halfLi64EN11PagesOfStepEEEv";
  const engine::StepWork work = WorkOf(4096);
  const auto seconds = [&](int warps) {
    const auto nodes = CountStep(work, 4096, {}, {{kernel, {80, warps}}});
    EXPECT_EQ(Named(nodes, "self-attention").figures.registers, 80);
    return Named(nodes, "self-attention").seconds;
  };
  EXPECT_GT(seconds(2), seconds(16));
}

TEST(CountedStep, EdgesThatOverlapShortenEveryNodeOfOurOwn) {
  CountedCard card;
  card.few_rows = false;  // which gain more: their weights come meanwhile
  card.overlaps = false;
  const double before = Seconds(CountStep(WorkOf(4), 8, card, {}));
  card.overlaps = true;
  const auto nodes = CountStep(WorkOf(4), 8, card, {});
  int64_t own = -2;  // the first of a graph, and the embedding, which may follow a copy
  for (const CountedNode& node : nodes) own += node.kernel.empty() ? 0 : node.nodes;
  EXPECT_NEAR(before - Seconds(nodes),
              static_cast<double>(own) * (card.start_seconds - card.overlapped_start_seconds),
              1e-9);
  const auto of_few_rows = [&](bool overlaps) {
    card.few_rows = true;
    card.overlaps = overlaps;
    return Named(CountStep(WorkOf(4), 8, card, {}), "feed-forward down");
  };
  EXPECT_GT(of_few_rows(false).seconds - of_few_rows(true).seconds,
            6 * (card.start_seconds - card.overlapped_start_seconds) + 1e-9);
}

TEST(CountedStep, AKernelForAFewRowsShortensTheirProductsAndNothingElse) {
  CountedCard card;
  for (const int rows : {8, 1024}) {
    card.few_rows = false;
    const auto without = CountStep(WorkOf(rows), rows, card, {});
    card.few_rows = true;
    const auto with = CountStep(WorkOf(rows), rows, card, {});
    int shorter = 0;
    for (const CountedNode& node : with) {
      const CountedNode& before = Named(without, node.name);
      EXPECT_EQ(node.cost.bytes, before.cost.bytes) << node.name;
      const bool product = rows <= 16 && before.kernel.empty();
      EXPECT_EQ(node.seconds < before.seconds, product) << node.name;
      if (!product) {
        EXPECT_EQ(node.seconds, before.seconds) << node.name;
      }
      shorter += product ? 1 : 0;
    }
    // The pass of swish is in the product.
    EXPECT_EQ(without.size() - with.size(), rows <= 16 ? 1U : 0U);
    EXPECT_EQ(shorter, rows <= 16 ? 6 : 0);
  }
}

// x of a few rows is read by each block of 8 columns, from L2: a card's memory has no part in it.
TEST(CountedStep, WhatBlocksReadAgainComesFromL2) {
  CountedCard card;
  card.overlaps = false;  // weights come in the kernel's own time
  const auto seconds = [&](int rows) {
    const CountedNode node = Named(CountStep(WorkOf(rows), 8, card, {}), "feed-forward down");
    return node.seconds / static_cast<double>(node.nodes);
  };
  const double in = 2048;
  const double out = 512;
  const double chain = card.start_seconds + in / 16 * 33 / card.cycles_per_second;
  card.memory_bytes_per_second = 0.27e12;
  const double slow = seconds(4);
  EXPECT_NEAR(slow, chain + 2 * (in * out + 4 * in + 4 * out) / (0.7 * 0.27e12), 0.05e-6);
  // L2 that is slower than all else is what counts.
  card.l2_bytes_per_second = 0.5e12;
  EXPECT_GT(seconds(8), slow);
  EXPECT_NEAR(seconds(8), chain + 2 * (in * out + out / 8 * 8 * in) / (0.7 * 0.5e12), 0.3e-6);
}

TEST(CountedEncoderPass, TensorCoresShortenAttentionAndNothingElse) {
  CountedCard card;
  const auto with = CountEncoderPass(Base(), kernels::ComputeType::kFloat16, 16, 512, card, {});
  card.tensor_cores = false;
  const auto without = CountEncoderPass(Base(), kernels::ComputeType::kFloat16, 16, 512, card, {});
  ASSERT_EQ(with.size(), without.size());
  for (size_t i = 0; i < with.size(); ++i) {
    if (with[i].name == "self-attention") {
      EXPECT_LT(with[i].seconds * 4, without[i].seconds);
      EXPECT_GT(with[i].seconds, with[i].cost.flop / card.flop_per_second);
    } else {
      EXPECT_EQ(with[i].seconds, without[i].seconds) << with[i].name;
    }
  }
}

TEST(CountedEncoderPass, AttentionGrowsWithTheSegmentsAtEqualTokens) {
  const auto seconds = [](int segments, int tokens) {
    const auto pass =
        CountEncoderPass(Base(), kernels::ComputeType::kFloat16, segments, tokens, {}, {});
    return Named(pass, "self-attention").seconds;
  };
  EXPECT_GT(seconds(4, 2048), 2 * seconds(16, 512));
  EXPECT_GT(seconds(16, 512), seconds(128, 64));
}

// A bound on the tokens of a pass shortens the waits of the steps beside it.
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

// 59.5 MB of weights 32 times.
TEST(CountedStep, TheFusedLayerReadsItsWeightsOnceForEachBlockOfRows) {
  CountedCard card;
  const auto fused = [&](int rows) {
    return Named(CountStep(WorkOf(rows), rows, card, {}), "fused output");
  };
  const auto seconds = [&](int rows) {
    return fused(rows).seconds - card.start_seconds - card.product_seconds;
  };
  const double counted = seconds(4096);
  EXPECT_EQ(fused(4096).bound, Bound::kProducts);
  card.l2_bytes_per_second = 2e12;
  EXPECT_EQ(fused(4096).l2_bytes, 32.0 * 58101 * 512 * 2);
  EXPECT_EQ(fused(4096).bound, Bound::kL2);
  EXPECT_NEAR(seconds(4096), 32.0 * 58101 * 512 * 2 / 2e12, 1e-9);
  EXPECT_GT(seconds(4096), counted);
  EXPECT_EQ(seconds(4096), seconds(4096 - 127));
  EXPECT_GT(seconds(4096), seconds(4096 - 128));
}

// An H200's products and copies alone took 322 us of 535 (fused-ablation.txt).
TEST(CountedStep, TheFoldIsNotBesideTheProducts) {
  const CountedCard card = CountedCards().front();
  const CountedNode fused = Named(CountStep(WorkOf(4096), 4096, card, {}), "fused output");
  EXPECT_GT(fused.seconds, fused.cost.flop / card.flop_per_second * 535 / 322);
}

// A warp looks for candidates of its rows by halves of eight; with four rows in all one half has
// none.
TEST(CountedStep, AHalfWithoutRowsLooksForNoCandidates) {
  const auto seconds = [](int rows) {
    return Named(CountStep(WorkOf(rows), rows, CountedCards().front(), {}), "fused output").seconds;
  };
  EXPECT_LT(seconds(8), seconds(16));
  EXPECT_EQ(seconds(24), seconds(128));
}

constexpr char kResults[] = DRAGOMAN_SOURCE_DIR "/tests/bench/results/";

// Every size that gpu_bench has with lists of four, of wgmma's code as it is and of mma.sync's
// compiled for 9.0, in float16 and int8: within a tenth.
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

// A whole step, wherever the parts that are counted wrong leave it: within a fifth.
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

// A table of launches has lines by the names of the count.
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

// Copies bring K and V at once where several rows share a warp, from 8.0 on; code for 9.0 reads a
// slot again.
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

TEST(CountedStep, EachNodeSaysWhatBoundsIt) {
  const auto bound = [](int rows, const char* name) {
    return Named(CountStep(WorkOf(rows), rows, {}, {}), name).bound;
  };
  EXPECT_EQ(bound(4096, "self-attention"), Bound::kMemory);
  EXPECT_EQ(bound(8, "self-attention"), Bound::kWaits);
  EXPECT_EQ(bound(4096, "self norm"), Bound::kL2);
  EXPECT_EQ(bound(8, "self norm"), Bound::kWaits);
  EXPECT_EQ(bound(4096, "feed-forward up"), Bound::kProducts);
  EXPECT_EQ(bound(64, "feed-forward up"), Bound::kLeast);
  EXPECT_EQ(bound(1024, "merge of its parts"), Bound::kWaits);
}

// A norm reads what the node before has written, a product of a few rows reads x in each block, and
// attention reads K and V from memory.
TEST(CountedStep, BytesOfL2AreThoseReadAgain) {
  const auto nodes = CountStep(WorkOf(4096), 4096, {}, {});
  EXPECT_EQ(Named(nodes, "self norm").l2_bytes, Named(nodes, "self norm").cost.bytes);
  EXPECT_EQ(Named(nodes, "self-attention").l2_bytes, 0);
  CountedCard card;
  card.overlaps = false;
  const CountedNode few = Named(CountStep(WorkOf(4), 8, card, {}), "feed-forward down");
  const double again = 6.0 * 2 * (64 - 1) * 8 * 2048;  // 64 blocks of 8 columns
  EXPECT_EQ(few.l2_bytes, few.cost.bytes + again);
  EXPECT_NEAR(few.l2_seconds,
              few.l2_bytes / (card.memory_share * 64 * card.multiprocessor_bytes_per_second),
              1e-12);
}

TEST(CountedStep, CardsWithoutTheFusedLayerStoreTheirLogits) {
  engine::StepWork work = WorkOf(4096);
  std::swap(work.fused_rows, work.materialized_rows);
  for (const CountedCard& card : CountedCards()) {
    if (card.output != OutputCode::kMaterialized) continue;
    const auto nodes = CountStep(work, 4096, card, {});
    const double logits = 4.0 * 4096 * 58101;
    EXPECT_EQ(Named(nodes, "fold logits").nodes, 8) << card.name;  // of 512 rows
    EXPECT_GE(Named(nodes, "fold logits").seconds, logits / card.memory_bytes_per_second)
        << card.name;
    EXPECT_GE(Named(nodes, "logits").seconds, logits / card.memory_bytes_per_second) << card.name;
  }
}

// Half the products and half of W, and a node more; the fold gets no shorter, so that the layer does not
// take half the time. With a few rows on a card before 9.0 W alone decides.
TEST(CountedStep, QuantizedProductsOfTheOutputLayerAreWorthTheirNode) {
  for (const CountedCard& card : CountedCards()) {
    if (card.output == OutputCode::kMaterialized) continue;
    SCOPED_TRACE(card.name);
    CountedCard quantized = card;
    quantized.quantized_output = true;
    for (const int rows : {4, 1024, 4096}) {
      const auto wide_nodes = CountStep(WorkOf(rows), std::max(rows, 8), card, {});
      const auto nodes = CountStep(WorkOf(rows), std::max(rows, 8), quantized, {});
      EXPECT_EQ(nodes.size(), wide_nodes.size() + 1);
      const double wide = Named(wide_nodes, "fused output").seconds;
      const double fused = Named(nodes, "fused output").seconds;
      EXPECT_GT(fused, wide / 2) << rows;
      EXPECT_LT(fused + Named(nodes, kQuantizeRows).seconds, wide) << rows;
      EXPECT_EQ(Named(nodes, "fused output").cost.bytes * 2,
                Named(wide_nodes, "fused output").cost.bytes);
    }
  }
}

// Products of layers in int8: each weight has half the bytes, rows are quantized by a launch before it, but for
// few of them. Where products are what a step waits for they are worth it.
TEST(CountedStep, LayersInInt8) {
  const auto sums = [](const std::vector<CountedNode>& nodes) {
    std::pair<double, double> seconds_and_bytes;
    for (const CountedNode& node : nodes) {
      const bool product = node.name == "self output" || node.name == "cross output";
      if (product) seconds_and_bytes.second += node.cost.bytes;
      if (product || node.name.ends_with(kRowsQuantized)) seconds_and_bytes.first += node.seconds;
    }
    return seconds_and_bytes;
  };
  for (const CountedCard& card : CountedCards()) {
    SCOPED_TRACE(card.name);
    CountedCard quantized = card;
    quantized.quantized_layers = true;
    for (const int rows : {4, 1024, 4096}) {
      const int bucket = std::max(rows, 8);
      const auto wide_nodes = CountStep(WorkOf(rows), bucket, card, {});
      const auto nodes = CountStep(WorkOf(rows), bucket, quantized, {});
      const double weights = 2.0 * 6 * 512 * 512;  // of self and cross outputs, in numbers
      const double x = rows > 16 ? 2.0 * 6 * rows * 512 : 0;  // read as bytes
      EXPECT_EQ(sums(nodes).second, sums(wide_nodes).second - weights - x) << rows;
      for (const CountedNode& node : nodes) {
        EXPECT_FALSE(rows == 4 && node.name.ends_with(kRowsQuantized)) << node.name;
      }
    }
    // More int8 is less time, and a slower memory of the multiprocessor more.
    const double as_is = Seconds(CountStep(WorkOf(4096), 4096, quantized, {}));
    CountedCard other = quantized;
    other.int8_rate /= 2;
    EXPECT_GT(Seconds(CountStep(WorkOf(4096), 4096, other, {})), as_is);
    other = quantized;
    other.shared_bytes_per_cycle /= 8;
    EXPECT_GT(Seconds(CountStep(WorkOf(4096), 4096, other, {})), as_is);
  }
  for (const std::string_view name : {"A100", "L40S", "RTX 5090", "L4", "T4"}) {
    const auto cards = CountedCards();
    const auto card = std::find_if(cards.begin(), cards.end(),
                                   [&](const CountedCard& c) { return c.name == name; });
    ASSERT_NE(card, cards.end());
    CountedCard quantized = *card;
    quantized.quantized_layers = true;
    EXPECT_LT(Seconds(CountStep(WorkOf(4096), 4096, quantized, {})),
              Seconds(CountStep(WorkOf(4096), 4096, *card, {})))
        << name;
  }
}

// The fold by mma is not beside the products: a step takes longer than its flop, and than its bytes,
// and what is gained over materialized logits is there on every card and for every number of rows but the
// few, where W has to come from memory either way.
TEST(CountedStep, FoldingByMmaIsWorthItOnEveryCardThatHasIt) {
  int cards = 0;
  for (const CountedCard& card : CountedCards()) {
    if (card.output != OutputCode::kMma) continue;
    SCOPED_TRACE(card.name);
    ++cards;
    for (const int rows : {4, 1024, 4096}) {
      const auto fused = CountStep(WorkOf(rows), std::max(rows, 8), card, {});
      engine::StepWork work = WorkOf(rows);
      std::swap(work.fused_rows, work.materialized_rows);
      const auto materialized = CountStep(work, std::max(rows, 8), card, {});
      const CountedNode& node = Named(fused, "fused output");
      EXPECT_GT(node.seconds, node.cost.flop / card.flop_per_second);
      EXPECT_GT(node.seconds, node.cost.bytes / card.memory_bytes_per_second);
      if (rows > 4) {
        EXPECT_LT(Seconds(fused), Seconds(materialized)) << rows;
      } else {
        EXPECT_LT(Seconds(fused), Seconds(materialized) * 1.2) << rows;
      }
    }
  }
  EXPECT_EQ(cards, 4);
}

TEST(CountedStep, TheTextEndsWithTheSum) {
  const auto nodes = CountStep(WorkOf(4), 8, {}, {});
  const std::string text = CountedText(nodes);
  EXPECT_THAT(text, ::testing::HasSubstr("\nself-attention "));
  EXPECT_THAT(text, ::testing::HasSubstr("\nall, counted "));
}

TEST(CountedStep, TheTextHasL2AndWhatBounds) {
  const std::string text = CountedText(CountStep(WorkOf(4096), 4096, {}, {}));
  EXPECT_THAT(text, ::testing::ContainsRegex("^node .* L2 MB .* L2 us +bound by +us\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("\nfused output .* 1903.9 .* 346.2 +products +"));
  EXPECT_THAT(text, ::testing::ContainsRegex("\nself norm .* 75.5 .* 19.6 +L2 +"));
}

}  // namespace
}  // namespace dragoman::bench
