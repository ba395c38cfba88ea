// Prints counted tables for OPUS-MT base (6 + 6 layers, d 512, V 58,101) in float16. For an H200:
// the step at 4,096 (beam 1 and 4) and 1,024 rows and of a lone sentence; the total time of the
// sentence, with a forced prefix and without; encoder passes over 8,192 tokens, in sentences and in
// long segments. For other cards: steps of beam 4, also with quantized products of the output layer
// and of the layers, and how long steps wait for encoder passes.
//
//   step_count [FIGURES [RESULTS]]     FIGURES: registers and warps of the kernels (machine_code.py
//                                      --figures FIGURES). RESULTS: the folder tests/bench/results;
//                                      prints only an H200's times and the counted ones
//
// The estimate needs no card (counted_step.h). It is meant for comparing a change with the state
// before.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/search/slot.h"
#include "tests/gpu/bench/base_model.h"
#include "tests/gpu/count/counted_step.h"
#include "tests/gpu/count/figures.h"
#include "tests/gpu/count/measured.h"

namespace dragoman::bench {
namespace {

constexpr int kTokens = 30;  // of a source and of its target
constexpr int kBeam = 4;
constexpr int kForced = 10;
constexpr int kPassTokens = 8192;
constexpr int kWaitTokens = 32;         // of a segment in the passes for which steps wait
constexpr double kHostSeconds = 60e-6;  // copies and wake-ups of a request: queue, encoder, decoder

// Returns the work of a step of `rows` rows that are in the middle of their targets.
engine::StepWork WorkOf(const engine::Program& program, int rows, int beam, bool fused) {
  engine::StepWork work;
  work.program = &program;
  work.type = kernels::ComputeType::kFloat16;
  work.rows = rows;
  (fused ? work.fused_rows : work.materialized_rows) = rows;
  work.slots = rows / beam;
  work.self_positions = (kTokens + 1) / 2.0;
  work.source_positions = kTokens;
  return work;
}

// Returns the number of steps of a sentence whose first `forced` target tokens are a prefix
// (NextPositions, kernels/search/slot.h).
int Steps(int forced) {
  kernels::SlotState slot;
  slot.options.beam = kBeam;
  slot.live = 1;
  slot.ahead = forced == 0 ? 0 : forced + 1;
  int steps = 0;
  for (; slot.length <= kTokens; ++steps) slot.length += kernels::NextPositions(slot);
  return steps;
}

// Prints the time of a lone sentence, with products of a few rows by cuBLASLt or by our own kernel.
void PrintSentence(const engine::Program& program, bool few_rows, int forced,
                   const FiguresByKernel& figures) {
  CountedCard card;
  card.few_rows = few_rows;
  const double encoder =
      Seconds(CountEncoderPass(program, kernels::ComputeType::kFloat16, 1, kTokens, card, figures));
  const double step = Seconds(CountStep(WorkOf(program, kBeam, kBeam, true), 8, card, figures));
  const int steps = Steps(forced);
  std::printf(
      "a lone sentence of %d tokens, %d forced, products of %s: encoder %.2f ms, %d steps of %.0f "
      "us %.2f ms, host %.2f ms; in all %.2f ms\n",
      kTokens, forced, few_rows ? "our own" : "cuBLASLt", encoder * 1e3, steps, step * 1e6,
      steps * step * 1e3, kHostSeconds * 1e3, (encoder + steps * step + kHostSeconds) * 1e3);
}

// Prints one figure of the nodes: a line for each name that has the figure on any card, a column
// for each card, and the sums. `letter`: adds the first letter of the bound of a node (BoundName).
void PrintCardTable(const std::vector<std::vector<CountedNode>>& cards, const std::string& what,
                    double CountedNode::*figure, bool letter) {
  std::vector<std::string> names;
  for (const auto& nodes : cards) {
    for (const CountedNode& node : nodes) {
      const bool known = std::ranges::find(names, node.name) != names.end();
      if (!known && node.*figure > 0) names.push_back(node.name);
    }
  }
  const auto cell = [&](const std::string& text, const char* bound) {
    std::printf(letter ? " %9s %.1s" : " %9s", text.c_str(), bound);
  };
  std::printf("\n%s\n%-30s", what.c_str(), "node");
  for (const CountedCard& card : CountedCards()) cell(std::string(card.name), "-");
  std::printf("\n");
  char us[24];
  for (const std::string& name : names) {
    std::printf("%-30s", name.c_str());
    for (const auto& nodes : cards) {
      const auto node = std::ranges::find(nodes, name, &CountedNode::name);
      if (node == nodes.end()) {
        cell("-", "-");
        continue;
      }
      std::snprintf(us, sizeof(us), "%.1f", (*node).*figure * 1e6);
      cell(us, BoundName(node->bound));
    }
    std::printf("\n");
  }
  std::printf("%-30s", "all, counted");
  for (const auto& nodes : cards) {
    double sum = 0;
    for (const CountedNode& node : nodes) sum += node.*figure;
    std::snprintf(us, sizeof(us), "%.1f", sum * 1e6);
    cell(us, "-");
  }
  std::printf("\n");
}

void PrintCards(const engine::Program& program, int rows, const FiguresByArchitecture& figures) {
  std::vector<std::vector<CountedNode>> cards;
  for (const CountedCard& card : CountedCards()) {
    cards.push_back(
        CountStep(WorkOf(program, rows, kBeam, card.output != OutputCode::kMaterialized),
                  std::max(rows, 8), card, FiguresOf(figures, card.architecture)));
  }
  const std::string step = std::to_string(rows) + " rows of beam " + std::to_string(kBeam);
  PrintCardTable(cards, step + ", us on each card, and the first letter of what bounds a node",
                 &CountedNode::seconds, true);
  PrintCardTable(cards, step + ", us that the bytes from L2 take", &CountedNode::l2_seconds, false);
}

// Prints the time of the output layer and of the whole step on cards whose fused layer uses
// mma.sync: with materialized logits and with the fused layer.
void PrintMmaOutput(const engine::Program& program, const FiguresByArchitecture& figures) {
  std::printf(
      "\noutput layer and step of beam %d, us, logits materialized and fused by mma\n%8s %6s",
      kBeam, "card", "rows");
  for (const char* column : {"materialized", "fused", "step, materialized", "step, fused"}) {
    std::printf(" %13s", column);
  }
  std::printf("\n");
  for (CountedCard card : CountedCards()) {
    if (card.output != OutputCode::kMma) continue;
    for (const int rows : {4096, 1024, kBeam}) {
      double output[2] = {};
      double step[2] = {};
      for (const bool fused : {false, true}) {
        const auto nodes = CountStep(WorkOf(program, rows, kBeam, fused), std::max(rows, 8), card,
                                     FiguresOf(figures, card.architecture));
        step[fused ? 1 : 0] = Seconds(nodes);
        output[fused ? 1 : 0] = OutputSeconds(nodes);
      }
      std::printf("%8s %6d %13.0f %13.0f %13.0f %13.0f\n", std::string(card.name).c_str(), rows,
                  output[0] * 1e6, output[1] * 1e6, step[0] * 1e6, step[1] * 1e6);
    }
  }
}

// Prints the time of the output layer and of the whole step on cards with a fused layer: with
// products of the compute type and with quantized products.
void PrintQuantizedOutput(const engine::Program& program, const FiguresByArchitecture& figures) {
  std::printf("\noutput layer and step of beam %d, us, products of float16 and of int8\n%8s %6s",
              kBeam, "card", "rows");
  for (const char* column : {"float16", "int8", "step, float16", "step, int8"}) {
    std::printf(" %13s", column);
  }
  std::printf("\n");
  for (CountedCard card : CountedCards()) {
    if (card.output == OutputCode::kMaterialized) continue;
    for (const int rows : {4096, 1024, kBeam}) {
      double output[2] = {};
      double step[2] = {};
      for (const bool quantized : {false, true}) {
        card.quantized_output = quantized;
        const auto nodes = CountStep(WorkOf(program, rows, kBeam, true), std::max(rows, 8), card,
                                     FiguresOf(figures, card.architecture));
        step[quantized ? 1 : 0] = Seconds(nodes);
        output[quantized ? 1 : 0] = OutputSeconds(nodes);
      }
      std::printf("%8s %6d %13.0f %13.0f %13.0f %13.0f\n", std::string(card.name).c_str(), rows,
                  output[0] * 1e6, output[1] * 1e6, step[0] * 1e6, step[1] * 1e6);
    }
  }
}

// Prints the time of the layers' products and of the whole step, in float16 and in int8, on cards
// that support int8 products of layers.
void PrintQuantizedLayers(const engine::Program& program, const FiguresByArchitecture& figures) {
  std::printf("\nproducts of the layers and step of beam %d, us, in float16 and in int8\n%8s %6s",
              kBeam, "card", "rows");
  for (const char* column : {"float16", "int8", "step, float16", "step, int8"}) {
    std::printf(" %13s", column);
  }
  std::printf("\n");
  for (CountedCard card : CountedCards()) {
    if (card.name == "B200") continue;
    for (const int rows : {4096, 1024, 256, kBeam}) {
      double layers[2] = {};
      double step[2] = {};
      for (const bool quantized : {false, true}) {
        card.quantized_layers = quantized;
        const auto nodes =
            CountStep(WorkOf(program, rows, kBeam, card.output != OutputCode::kMaterialized),
                      std::max(rows, 8), card, FiguresOf(figures, card.architecture));
        step[quantized ? 1 : 0] = Seconds(nodes);
        for (const CountedNode& node : nodes) {
          for (const engine::Op& op : program.decoder.ops) {
            const bool of_product =
                std::holds_alternative<engine::ProductOp>(op.what) &&
                (node.name == op.name || node.name.starts_with(std::string(op.name) + ","));
            if (!of_product) continue;
            layers[quantized ? 1 : 0] += node.seconds;
            break;
          }
        }
      }
      std::printf("%8s %6d %13.0f %13.0f %13.0f %13.0f\n", std::string(card.name).c_str(), rows,
                  layers[0] * 1e6, layers[1] * 1e6, step[0] * 1e6, step[1] * 1e6);
    }
  }
}

// Prints how long the step of a lone sentence waits at worst for passes of some sizes, on each
// card.
void PrintWaits(const engine::Program& program, const FiguresByArchitecture& all_figures) {
  for (const CountedCard& card : CountedCards()) {
    const FiguresByKernel& figures = FiguresOf(all_figures, card.architecture);
    std::printf("\na step of %d rows beside an encoder pass, %s\n%8s %9s %14s %14s\n", kBeam,
                std::string(card.name).c_str(), "tokens", "pass us", "longest kernel",
                "wait at worst");
    const auto step = CountStep(
        WorkOf(program, kBeam, kBeam, card.output != OutputCode::kMaterialized), 8, card, figures);
    for (const int tokens : {kPassTokens, 4096, 2048, 1024, 512, 256}) {
      const CountedWait wait =
          WaitBehind(CountEncoderPass(program, kernels::ComputeType::kFloat16, tokens / kWaitTokens,
                                      kWaitTokens, card, figures),
                     step);
      std::printf("%8d %9.0f %14.0f %14.0f\n", tokens, wait.pass_seconds * 1e6,
                  wait.longest_kernel_seconds * 1e6, wait.seconds * 1e6);
    }
  }
}

// Prints a measured time, the counted time, and measured / counted.
void PrintRatio(double measured, double counted) {
  if (measured == 0) {
    std::printf(" | %8s %8.1f %6s", "-", counted * 1e6, "-");
  } else {
    std::printf(" | %8.1f %8.1f %6.2f", measured * 1e6, counted * 1e6, measured / counted);
  }
}

CountedCard With(bool mma, bool quantized) {
  CountedCard card = CountedCards().front();
  if (mma) card.output = OutputCode::kMma;
  card.quantized_output = quantized;
  return card;
}

double CountedLayer(const MeasuredLayer& layer, const CountedCard& card,
                    const FiguresByKernel& figures) {
  const engine::Program program = ProgramOf(BaseSpec(layer.vocabulary));
  return OutputSeconds(
      CountStep(WorkOf(program, layer.rows, layer.k, true), layer.rows, card, figures));
}

// Whether the layer's list has the length with which the fold was measured (counted_output.cc).
bool HasListOfFour(const MeasuredLayer& layer) { return layer.k <= 4; }

void PrintMeasuredLayers(const std::string& results, const FiguresByKernel& figures) {
  std::printf(
      "The output layer alone with its merge, us: measured, counted, measured/counted.\n"
      "By wgmma: 2026-11-27-nvidia-h200/output_layer-after.json; by mma.sync: "
      "output_layer-mma.json "
      "there.\n%8s %5s %2s",
      "V", "rows", "k");
  for (const char* way : {"wgmma, float16", "wgmma, int8", "mma, float16", "mma, int8"})
    std::printf(" | %24s", way);
  std::printf("\n");
  const auto layers = ReadOutputLayers(results + "/2026-11-27-nvidia-h200/output_layer-after.json");
  const auto by_mma = ReadOutputLayers(results + "/2026-11-27-nvidia-h200/output_layer-mma.json");
  for (size_t i = 0; i < layers.size() && i < by_mma.size(); ++i) {
    const MeasuredLayer& layer = layers[i];
    if (!HasListOfFour(layer)) continue;
    std::printf("%8d %5d %2d", layer.vocabulary, layer.rows, layer.k);
    for (const bool mma : {false, true}) {
      for (const bool quantized : {false, true}) {
        const MeasuredLayer& measured = mma ? by_mma[i] : layer;
        PrintRatio(quantized ? measured.int8_seconds : measured.seconds,
                   CountedLayer(layer, With(mma, quantized), figures));
      }
    }
    std::printf("\n");
  }
  std::printf(
      "\nThe same in float16 on 2026-11-26, before the fold was changed "
      "(fused-ablation.txt)\n");
  for (const MeasuredLayer& layer :
       ReadAblation(results + "/2026-11-26-nvidia-h200/fused-ablation.txt")) {
    std::printf("%8d %5d %2d", layer.vocabulary, layer.rows, layer.k);
    PrintRatio(layer.seconds, CountedLayer(layer, With(false, false), figures));
    std::printf("\n");
  }
}

// Counts a step whose rows have `positions` positions before them, as in the measured step.
std::vector<CountedNode> CountMeasured(const engine::Program& program, int rows, double positions,
                                       bool early, bool mma, const FiguresByKernel& figures) {
  CountedCard card = With(mma, false);
  card.overlaps = early;
  engine::StepWork work = WorkOf(program, rows, kBeam, true);
  work.self_positions = positions;
  return CountStep(work, std::max(rows, 8), card, figures);
}

void PrintMeasuredSteps(const engine::Program& program, const std::string& results,
                        const FiguresByKernel& figures) {
  constexpr double kPositions = 32.5;  // the mean of TimeCudaSteps over 30 steps
  std::printf(
      "\nA step as it is made, beam 4, %.1f positions behind each row, us: measured, counted, "
      "measured/counted.\nBy wgmma: 2026-11-27-nvidia-h200/graph_step-after.json; by mma.sync: "
      "graph_step-mma.json there.\n%5s %5s | %24s | %24s\n",
      kPositions, "rows", "early", "wgmma", "mma");
  const auto steps = ReadGraphSteps(results + "/2026-11-27-nvidia-h200/graph_step-after.json");
  const auto by_mma = ReadGraphSteps(results + "/2026-11-27-nvidia-h200/graph_step-mma.json");
  for (size_t i = 0; i < steps.size() && i < by_mma.size(); ++i) {
    std::printf("%5d %5s", steps[i].rows, steps[i].early ? "on" : "off");
    for (const bool mma : {false, true}) {
      PrintRatio(
          mma ? by_mma[i].seconds : steps[i].seconds,
          Seconds(CountMeasured(program, steps[i].rows, kPositions, steps[i].early, mma, figures)));
    }
    std::printf("\n");
  }
}

// Compares counted and measured times, launch by launch. The table was measured with an event
// between launches, which makes each launch longer. So the difference between the table's sum and
// the time of a step without early launches is subtracted from the launches in equal parts.
void PrintMeasuredNodes(const engine::Program& program, const std::string& results,
                        const FiguresByKernel& figures) {
  const auto steps = ReadGraphSteps(results + "/2026-11-27-nvidia-h200/graph_step.json");
  for (const MeasuredNodes& table :
       ReadStepTables(results + "/2026-11-26-nvidia-h200/step_table-after.txt")) {
    const auto nodes =
        CountMeasured(program, table.rows, table.self_positions, false, false, figures);
    double sum = 0;
    int64_t launches = 0;
    for (const auto& node : table.nodes) {
      sum += node.seconds;
      launches += node.launches;
    }
    const auto step = std::find_if(steps.begin(), steps.end(), [&](const MeasuredStep& s) {
      return s.rows == table.rows && !s.early;
    });
    const double events =
        step == steps.end() ? 0 : (sum - step->seconds) / static_cast<double>(launches);
    std::printf(
        "\nLaunches of a step of %d rows, beam 4, %.1f positions behind each row, us: with events "
        "between them\n(2026-11-26-nvidia-h200/step_table-after.txt); less %.1f for each; counted; "
        "ratio of the last two\n%-20s %8s %8s | %8s %8s %6s\n",
        table.rows, table.self_positions, events * 1e6, "", "launches", "events", "less", "counted",
        "ratio");
    for (const auto& node : table.nodes) {
      double counted = 0;
      for (const CountedNode& of : nodes) {
        const bool same = of.name == node.name || of.name.starts_with(node.name + ",");
        if (same) counted += of.seconds;
      }
      if (node.name == engine::step_op::kFused) counted = OutputSeconds(nodes);
      std::printf("%-20s %8lld %8.1f", node.name.c_str(), static_cast<long long>(node.launches),
                  node.seconds * 1e6);
      PrintRatio(node.seconds - static_cast<double>(node.launches) * events, counted);
      std::printf("\n");
    }
    std::printf("%-20s %8lld %8.1f", "step", static_cast<long long>(launches), sum * 1e6);
    PrintRatio(sum - static_cast<double>(launches) * events, Seconds(nodes));
    std::printf("\n");
  }
}

void PrintMeasured(const FiguresByArchitecture& all_figures, const std::string& results) {
  const FiguresByKernel& figures = FiguresOf(all_figures, CountedCard().architecture);
  const engine::Program program = ProgramOf(BaseSpec());
  PrintMeasuredLayers(results, figures);
  PrintMeasuredSteps(program, results, figures);
  PrintMeasuredNodes(program, results, figures);
}

void Print(const FiguresByArchitecture& all_figures) {
  const CountedCard card;
  const FiguresByKernel& figures = FiguresOf(all_figures, card.architecture);
  const engine::Program program = ProgramOf(BaseSpec());
  for (const auto& [rows, beam] :
       {std::pair{4096, 1}, {4096, kBeam}, {1024, kBeam}, {kBeam, kBeam}}) {
    const engine::StepWork work = WorkOf(program, rows, beam, true);
    const auto nodes = CountStep(work, std::max(rows, 8), card, figures);
    std::printf("%d rows of %lld slots, %.1f positions behind each, sources of %d\n%s\n", rows,
                static_cast<long long>(work.slots), work.self_positions, kTokens,
                CountedText(nodes).c_str());
  }
  for (const bool few_rows : {false, true}) {
    for (const int forced : {0, 1, kForced}) PrintSentence(program, few_rows, forced, figures);
  }
  for (const int tokens : {kTokens, 128, 512}) {
    const int segments = kPassTokens / tokens;
    for (const bool tensor_cores : {true, false}) {
      CountedCard one = card;
      one.tensor_cores = tensor_cores;
      const auto nodes =
          CountEncoderPass(program, kernels::ComputeType::kFloat16, segments, tokens, one, figures);
      std::printf("\nencoder pass, %d segments of %d tokens, attention on %s cores\n%s", segments,
                  tokens, tensor_cores ? "tensor" : "plain", CountedText(nodes).c_str());
    }
  }
  for (const int rows : {4096, 1024, kBeam}) PrintCards(program, rows, all_figures);
  PrintMmaOutput(program, all_figures);
  PrintQuantizedOutput(program, all_figures);
  PrintQuantizedLayers(program, all_figures);
  PrintWaits(program, all_figures);
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  if (argc > 3) {
    std::fprintf(stderr, "usage: step_count [FIGURES [RESULTS]]\n");
    return 2;
  }
  const auto figures =
      argc > 1 ? dragoman::bench::ReadFigures(argv[1]) : dragoman::bench::FiguresByArchitecture();
  if (argc == 3) {
    dragoman::bench::PrintMeasured(figures, argv[2]);
  } else {
    dragoman::bench::Print(figures);
  }
  return 0;
}
