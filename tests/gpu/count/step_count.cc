// Prints the counted table of a step of OPUS-MT base (6 + 6 layers, d 512, V 58,101), float16, at
// 4,096 (beam 1 and 4) and 1,024 rows and of a lone sentence, what the sentence takes in all, with a
// forced prefix and without, the tables of encoder passes over 8,192 tokens, in sentences and in long
// segments, and how long a step waits at worst beside passes of several sizes.
//
//   step_count [FIGURES]     registers and warps of the kernels: machine_code.py --figures FIGURES
//
// An estimate without a card (counted_step.h), for comparing what was before with what comes after.
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "kernels/search/slot.h"
#include "nlohmann/json.hpp"
#include "tests/gpu/bench/base_model.h"
#include "tests/gpu/count/counted_step.h"

namespace dragoman::bench {
namespace {

constexpr char kArchitecture[] = "90a";
constexpr int kTokens = 30;  // of a source, and of its target
constexpr int kBeam = 4;
constexpr int kForced = 10;
constexpr int kPassTokens = 8192;
constexpr int kWaitTokens = 32;         // of a segment, of passes that steps wait for
constexpr double kHostSeconds = 60e-6;  // copies and wake-ups of a request: queue, encoder, decoder

FiguresByKernel Read(const char* path) {
  FiguresByKernel figures;
  std::ifstream file(path);
  const nlohmann::json all = nlohmann::json::parse(file);
  for (const auto& [symbol, of] : all.at(kArchitecture).items()) {
    figures[symbol] = {of.at("registers").get<int>(), of.at("warps").get<int>()};
  }
  return figures;
}

StepWork LoneStep(const Program& program) {
  StepWork work;
  work.program = &program;
  work.type = ComputeType::kFloat16;
  work.rows = work.fused_rows = kBeam;
  work.slots = 1;
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
  const double step = Seconds(CountStep(LoneStep(program), 8, card, figures));
  const int steps = Steps(forced);
  std::printf(
      "a lone sentence of %d tokens, %d forced, products of %s: encoder %.2f ms, %d steps of %.0f "
      "us %.2f ms, host %.2f ms; in all %.2f ms\n",
      kTokens, forced, few_rows ? "our own" : "cuBLASLt", encoder * 1e3, steps, step * 1e6,
      steps * step * 1e3, kHostSeconds * 1e3, (encoder + steps * step + kHostSeconds) * 1e3);
}

// A T4 by its data sheet, which has neither early launches nor our own kernel for a few rows.
CountedCard T4() {
  CountedCard card;
  card.multiprocessors = 40;
  card.memory_bytes_per_second = 0.3e12;
  card.l2_bytes_per_second = 1.2e12;
  card.multiprocessor_bytes_per_second = 30e9;
  card.flop_per_second = 65e12;
  card.instructions_per_second = 4 * 1.2e9;
  card.cycles_per_second = 1.2e9;
  card.tensor_cores = false;
  card.overlaps = false;
  card.few_rows = false;
  return card;
}

// How long a step of a lone sentence waits at worst beside passes of some sizes.
void PrintWaits(const Program& program, const char* name, const CountedCard& card,
                const FiguresByKernel& figures) {
  std::printf("\na step of %d rows beside an encoder pass, %s\n%8s %9s %14s %14s\n", kBeam, name,
              "tokens", "pass us", "longest kernel", "wait at worst");
  const auto step = CountStep(LoneStep(program), 8, card, figures);
  for (const int tokens : {kPassTokens, 4096, 2048, 1024, 512, 256}) {
    const CountedWait wait =
        WaitBehind(CountEncoderPass(program, ComputeType::kFloat16, tokens / kWaitTokens,
                                    kWaitTokens, card, figures),
                   step);
    std::printf("%8d %9.0f %14.0f %14.0f\n", tokens, wait.pass_seconds * 1e6,
                wait.longest_kernel_seconds * 1e6, wait.seconds * 1e6);
  }
}

void Print(const FiguresByKernel& figures) {
  const CountedCard card;
  const Program program = ProgramOf(BaseSpec());
  for (const auto& [rows, beam] :
       {std::pair{4096, 1}, {4096, kBeam}, {1024, kBeam}, {kBeam, kBeam}}) {
    StepWork work;
    work.program = &program;
    work.type = ComputeType::kFloat16;
    work.rows = work.fused_rows = rows;
    work.slots = rows / beam;
    work.self_positions = (kTokens + 1) / 2.0;
    work.source_positions = kTokens;
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
  PrintWaits(program, "H200", card, figures);
  PrintWaits(program, "T4", T4(), {});
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fprintf(stderr, "usage: step_count [FIGURES]\n");
    return 2;
  }
  dragoman::bench::Print(argc == 2 ? dragoman::bench::Read(argv[1])
                                   : dragoman::bench::FiguresByKernel());
  return 0;
}
