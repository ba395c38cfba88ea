// Compares the number of nodes in the graph of each kind of step with tests/gpu/graph_nodes.json,
// so that a change that adds a node is noticed. The decoder is like OPUS-MT base: 6 layers, swish.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "engine/decode/batch.h"
#include "engine/model/families/family.h"
#include "nlohmann/json.hpp"
#include "tests/engine/decode/cuda/emulated_names.h"
// These headers follow emulated_names.h, so that they declare the classes of the emulated device.
#include "engine/decode/cuda/cuda_planner.h"
#include "engine/decode/cuda/cuda_step.h"
#include "tests/engine/support/weights_in_memory.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

constexpr int kNodeRows = 1024;

// The number of nodes depends only on the number of layers and their activation. The other sizes
// are small so that the test is fast.
ModelSpec DeepSpec() {
  ModelSpec spec;
  spec.shape = {64, 1, 6, 8, 8, 128, 128, 520, 520, 40};
  spec.activation = kernels::Activation::kSwish;
  return spec;
}

std::unique_ptr<CudaStep> StepOf(kernels::ComputeType type, kernels::QuantizedType layers) {
  const ModelSpec spec = DeepSpec();
  const Program program = FindFamily("marian")->make(spec)->program;
  WeightValues zeros;
  for (const Weight& weight : program.weights) {
    zeros.emplace_back(static_cast<size_t>(weight.elements()));
  }
  const auto image =
      ExpectOk(MakeWeightImage(program, WeightsInMemory(program, std::move(zeros)), type));
  CudaBackendConfig config;
  config.batch.max_rows = kNodeRows;
  config.batch.max_positions = spec.shape.max_positions + 1;
  config.batch.vocabulary = spec.shape.target_vocab;
  config.options.layer_products = layers;
  auto planner = ExpectOk(CudaPlanner::Create(config, program, *image));
  auto model = ExpectOk(planner->LoadModel(*image));
  auto step = ExpectOk(
      CudaStep::Create(*model, planner->Limits(), nullptr, kernels::cuda::StepMailboxes{}));
  return *std::move(step);
}

int64_t NodesOf(const CudaStep& step, const StepVariant& variant) {
  kernels::cuda::Graph graph;
  EXPECT_EQ(graph.Record(nullptr, [&] { return step.Launch(nullptr, variant).error; }),
            kernels::cuda::Error::kNone);
  return graph.nodes();
}

TEST(StepNodes, AreThoseOfTheBudget) {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/gpu/graph_nodes.json");
  const nlohmann::json budgets = nlohmann::json::parse(file);
  int compared = 0;
  for (const auto& [type, layers] :
       {std::pair{kernels::ComputeType::kFloat16, kernels::QuantizedType::kNone},
        {kernels::ComputeType::kFloat32, kernels::QuantizedType::kNone},
        {kernels::ComputeType::kFloat16, kernels::QuantizedType::kInt8}}) {
    const std::unique_ptr<CudaStep> step = StepOf(type, layers);
    for (const int rows : {8, kNodeRows}) {
      for (const bool materialized : {false, true}) {
        for (const bool align : {false, true}) {
          const std::string name =
              std::string(kernels::ComputeTypeName(type)) +
              (layers == kernels::QuantizedType::kInt8 ? ", layers in int8, " : ", ") +
              std::to_string(rows) + " rows" + (materialized ? ", materialized" : "") +
              (align ? ", align" : "");
          const auto budget = budgets.find(name);
          const int64_t nodes = NodesOf(*step, {rows, 4, materialized, align});
          if (budget == budgets.end()) {
            ADD_FAILURE() << name << ": " << nodes << " nodes, and no budget";
            continue;
          }
          // If a change saves nodes, lower the number in the file.
          EXPECT_EQ(nodes, budget->get<int64_t>()) << name;
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, static_cast<int>(budgets.size()));
}

}  // namespace
}  // namespace dragoman::engine
