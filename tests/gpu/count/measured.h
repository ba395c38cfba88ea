// Reads measured times from the results of a card (tests/bench/results/DATE-CARD), for comparison
// with the counted times. Readers end the process if a file is not in gpu_bench's format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::bench {

// The output layer alone in float16 and quantized (output_layer*.json).
struct MeasuredLayer {
  int vocabulary = 0;
  int rows = 0;
  int k = 0;
  double seconds = 0;
  double int8_seconds = 0;  // 0: not measured
};
std::vector<MeasuredLayer> ReadOutputLayers(const std::string& path);
// Reads the same times of the complete layer from fused-ablation.txt: V 58,101, k 4.
std::vector<MeasuredLayer> ReadAblation(const std::string& path);

// A complete step with beam 4 (graph_step*.json).
struct MeasuredStep {
  int rows = 0;
  bool early = false;  // with early launches
  double seconds = 0;
};
std::vector<MeasuredStep> ReadGraphSteps(const std::string& path);

// The launches of a step, measured with events between them (step_table*.txt).
struct MeasuredNodes {
  struct Node {
    std::string name;
    int64_t launches = 0;
    double seconds = 0;
  };
  int rows = 0;
  double self_positions = 0;
  std::vector<Node> nodes;
};
std::vector<MeasuredNodes> ReadStepTables(const std::string& path);

}  // namespace dragoman::bench
