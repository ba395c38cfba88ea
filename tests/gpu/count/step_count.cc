// Prints the counted table of a step of OPUS-MT base (6 + 6 layers, d 512, V 58,101), float16, on an H200,
// at 4,096 (beam 1 and 4) and 1,024 rows and of a lone sentence, what the sentence takes in all, with a
// forced prefix and without, the tables of encoder passes over 8,192 tokens, in sentences and in long
// segments, the steps of beam 4 on other cards, with narrow products of the output layer, too, and of the layers, and how
// long steps wait there beside encoder passes.
//
//   step_count [FIGURES]     registers and warps of the kernels: machine_code.py --figures FIGURES
//
// An estimate without a card (counted_step.h), for comparing what was before with what comes after.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/search/slot.h"
#include "tests/gpu/bench/base_model.h"
#include "tests/gpu/count/counted_step.h"
#include "tests/gpu/count/figures.h"

namespace dragoman::bench {
namespace {

constexpr int kTokens = 30;  // of a source, and of its target
constexpr int kBeam = 4;
constexpr int kForced = 10;
constexpr int kPassTokens = 8192;
constexpr int kWaitTokens = 32;         // of a segment, of passes that steps wait for
constexpr double kHostSeconds = 60e-6;  // copies and wake-ups of a request: queue, encoder, decoder

// A step of `rows` in the middle of their targets.
StepWork WorkOf(const Program& program, int rows, int beam, bool fused) {
  StepWork work;
  work.program = &program;
  work.type = ComputeType::kFloat16;
  work.rows = rows;
  (fused ? work.fused_rows : work.stored_rows) = rows;
  work.slots = rows / beam;
  work.self_positions = (kTokens + 1) / 2.0;
  work.source_positions = kTokens;
  return work;
}

// Steps of a sentence whose first `forced` target tokens are a prefix (NextPositions,
// kernels/search/slot.h).
int Steps(int forced) {
  SlotState slot;
  slot.options.beam = kBeam;
  slot.live = 1;
  slot.ahead = forced == 0 ? 0 : forced + 1;
  int steps = 0;
  for (; slot.length <= kTokens; ++steps) slot.length += NextPositions(slot);
  return steps;
}

// Alone, with products of a few rows by cuBLASLt or by our own kernel.
void PrintSentence(const Program& program, bool few_rows, int forced,
                   const FiguresByKernel& figures) {
  CountedCard card;
  card.few_rows = few_rows;
  const double encoder =
      Seconds(CountEncoderPass(program, ComputeType::kFloat16, 1, kTokens, card, figures));
  const double step = Seconds(CountStep(WorkOf(program, kBeam, kBeam, true), 8, card, figures));
  const int steps = Steps(forced);
  std::printf(
      "a lone sentence of %d tokens, %d forced, products of %s: encoder %.2f ms, %d steps of %.0f "
      "us %.2f ms, host %.2f ms; in all %.2f ms\n",
      kTokens, forced, few_rows ? "our own" : "cuBLASLt", encoder * 1e3, steps, step * 1e6,
      steps * step * 1e3, kHostSeconds * 1e3, (encoder + steps * step + kHostSeconds) * 1e3);
}

// The nodes' times on each card, a column a card, and what the step comes to.
void PrintCards(const Program& program, int rows, const FiguresByArchitecture& figures) {
  std::vector<std::map<std::string, double>> seconds;
  std::vector<std::string> names;
  for (const CountedCard& card : CountedCards()) {
    const auto nodes = CountStep(WorkOf(program, rows, kBeam, card.output != OutputCode::kStored),
                                 std::max(rows, 8), card, FiguresOf(figures, card.architecture));
    auto& of = seconds.emplace_back();
    for (const CountedNode& node : nodes) {
      if (std::find(names.begin(), names.end(), node.name) == names.end())
        names.push_back(node.name);
      of[node.name] = node.seconds;
      of["all, counted"] += node.seconds;
    }
  }
  names.emplace_back("all, counted");
  std::printf("\n%d rows of beam %d, us on each card\n%-30s", rows, kBeam, "node");
  for (const CountedCard& card : CountedCards())
    std::printf(" %9s", std::string(card.name).c_str());
  std::printf("\n");
  for (const std::string& name : names) {
    std::printf("%-30s", name.c_str());
    for (const auto& of : seconds) {
      const auto at = of.find(name);
      at == of.end() ? std::printf(" %9s", "-") : std::printf(" %9.1f", at->second * 1e6);
    }
    std::printf("\n");
  }
}

// The time of the output layer, and of the step with it, on cards that fold by mma.sync: with the
// logits stored and swept, and fused.
void PrintMmaOutput(const Program& program, const FiguresByArchitecture& figures) {
  std::printf("\noutput layer and step of beam %d, us, logits stored and fused by mma\n%8s %6s",
              kBeam, "card", "rows");
  for (const char* column : {"stored", "fused", "step, stored", "step, fused"}) {
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
        for (const CountedNode& node : nodes) {
          const bool of_output = node.name == step_op::kFused || node.name == kMergeOfParts ||
                                 node.name == step_op::kLogits || node.name == step_op::kGather ||
                                 node.name == step_op::kFoldLogits;
          if (of_output) output[fused ? 1 : 0] += node.seconds;
        }
      }
      std::printf("%8s %6d %13.0f %13.0f %13.0f %13.0f\n", std::string(card.name).c_str(), rows,
                  output[0] * 1e6, output[1] * 1e6, step[0] * 1e6, step[1] * 1e6);
    }
  }
}

// The time of the output layer, and of the step with it, with products of the compute type and narrow
// ones, on cards that fold.
void PrintNarrowOutput(const Program& program, const FiguresByArchitecture& figures) {
  std::printf("\noutput layer and step of beam %d, us, products of float16 and of int8\n%8s %6s",
              kBeam, "card", "rows");
  for (const char* column : {"float16", "int8", "step, float16", "step, int8"}) {
    std::printf(" %13s", column);
  }
  std::printf("\n");
  for (CountedCard card : CountedCards()) {
    if (card.output == OutputCode::kStored) continue;
    for (const int rows : {4096, 1024, kBeam}) {
      double output[2] = {};
      double step[2] = {};
      for (const bool narrow : {false, true}) {
        card.narrow_output = narrow;
        const auto nodes = CountStep(WorkOf(program, rows, kBeam, true), std::max(rows, 8), card,
                                     FiguresOf(figures, card.architecture));
        step[narrow ? 1 : 0] = Seconds(nodes);
        for (const CountedNode& node : nodes) {
          const bool of_output = node.name == step_op::kFused || node.name == kMergeOfParts ||
                                 node.name == kNarrowRows;
          if (of_output) output[narrow ? 1 : 0] += node.seconds;
        }
      }
      std::printf("%8s %6d %13.0f %13.0f %13.0f %13.0f\n", std::string(card.name).c_str(), rows,
                  output[0] * 1e6, output[1] * 1e6, step[0] * 1e6, step[1] * 1e6);
    }
  }
}

// The time of the layers' products, and of the step with them, in float16 and in int8, on cards that have these.
void PrintNarrowLayers(const Program& program, const FiguresByArchitecture& figures) {
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
      for (const bool narrow : {false, true}) {
        card.narrow_layers = narrow;
        const auto nodes =
            CountStep(WorkOf(program, rows, kBeam, card.output != OutputCode::kStored),
                      std::max(rows, 8), card, FiguresOf(figures, card.architecture));
        step[narrow ? 1 : 0] = Seconds(nodes);
        for (const CountedNode& node : nodes) {
          for (const Op& op : program.decoder.ops) {
            const bool of_product =
                std::holds_alternative<ProductOp>(op.what) &&
                (node.name == op.name || node.name.starts_with(std::string(op.name) + ","));
            if (!of_product) continue;
            layers[narrow ? 1 : 0] += node.seconds;
            break;
          }
        }
      }
      std::printf("%8s %6d %13.0f %13.0f %13.0f %13.0f\n", std::string(card.name).c_str(), rows,
                  layers[0] * 1e6, layers[1] * 1e6, step[0] * 1e6, step[1] * 1e6);
    }
  }
}

// How long a step of a lone sentence waits at worst beside passes of some sizes, on each card.
void PrintWaits(const Program& program, const FiguresByArchitecture& all_figures) {
  for (const CountedCard& card : CountedCards()) {
    const FiguresByKernel& figures = FiguresOf(all_figures, card.architecture);
    std::printf("\na step of %d rows beside an encoder pass, %s\n%8s %9s %14s %14s\n", kBeam,
                std::string(card.name).c_str(), "tokens", "pass us", "longest kernel",
                "wait at worst");
    const auto step = CountStep(WorkOf(program, kBeam, kBeam, card.output != OutputCode::kStored),
                                8, card, figures);
    for (const int tokens : {kPassTokens, 4096, 2048, 1024, 512, 256}) {
      const CountedWait wait =
          WaitBehind(CountEncoderPass(program, ComputeType::kFloat16, tokens / kWaitTokens,
                                      kWaitTokens, card, figures),
                     step);
      std::printf("%8d %9.0f %14.0f %14.0f\n", tokens, wait.pass_seconds * 1e6,
                  wait.longest_kernel_seconds * 1e6, wait.seconds * 1e6);
    }
  }
}

void Print(const FiguresByArchitecture& all_figures) {
  const CountedCard card;
  const FiguresByKernel& figures = FiguresOf(all_figures, card.architecture);
  const Program program = ProgramOf(BaseSpec());
  for (const auto& [rows, beam] :
       {std::pair{4096, 1}, {4096, kBeam}, {1024, kBeam}, {kBeam, kBeam}}) {
    const StepWork work = WorkOf(program, rows, beam, true);
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
          CountEncoderPass(program, ComputeType::kFloat16, segments, tokens, one, figures);
      std::printf("\nencoder pass, %d segments of %d tokens, attention on %s cores\n%s", segments,
                  tokens, tensor_cores ? "tensor" : "plain", CountedText(nodes).c_str());
    }
  }
  for (const int rows : {4096, 1024, kBeam}) PrintCards(program, rows, all_figures);
  PrintMmaOutput(program, all_figures);
  PrintNarrowOutput(program, all_figures);
  PrintNarrowLayers(program, all_figures);
  PrintWaits(program, all_figures);
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fprintf(stderr, "usage: step_count [FIGURES]\n");
    return 2;
  }
  dragoman::bench::Print(argc == 2 ? dragoman::bench::ReadFigures(argv[1])
                                   : dragoman::bench::FiguresByArchitecture());
  return 0;
}
