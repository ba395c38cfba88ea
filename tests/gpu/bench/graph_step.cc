#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "engine/profile/cuda_profile.h"
#include "engine/profile/profile_steps.h"
#include "kernels/cuda/device.h"
#include "tests/engine/support/weights_in_memory.h"
#include "tests/gpu/bench/base_model.h"
#include "tests/gpu/bench/parts.h"
#include "tests/gpu/count/counted_step.h"
#include "tests/gpu/count/figures.h"

namespace dragoman::bench {
namespace {

using nlohmann::json;

constexpr int kSteps = 30;
// The number of steps under a profiler, which saves and restores K/V around every kernel. With 10
// steps one page holds a row's K/V, which halves the K/V. tests/gpu/bundle/first.sh profiles the
// 21st step, counting the steps before these ten.
constexpr int kProfiledSteps = 10;

// Returns the counted card whose name is part of the device's name ("NVIDIA H100 80GB HBM3").
std::optional<CountedCard> CardNamed(const std::string& device) {
  for (const CountedCard& card : CountedCards()) {
    if (device.find(card.name) != std::string::npos) return card;
  }
  return std::nullopt;
}

double CountedSeconds(const engine::Program& program, const engine::CudaStepTime& time, int rows,
                      bool early, CountedCard card, const FiguresByArchitecture& figures) {
  engine::StepWork work;
  work.program = &program;
  work.type = kernels::ComputeType::kFloat16;
  work.rows = time.rows;
  (time.fused ? work.fused_rows : work.materialized_rows) = time.rows;
  work.slots = time.rows / engine::kProfiledBeam;
  work.self_positions = time.self_positions;
  work.source_positions = engine::kProfiledSourceTokens;
  card.overlaps = card.overlaps && early;
  return Seconds(CountStep(work, std::max(rows, 8), card, FiguresOf(figures, card.architecture)));
}

// OPUS-MT base with random weights in float16, and the device that runs it.
struct Subject {
  engine::ModelSpec spec = BaseSpec();
  engine::Program program = ProgramOf(spec);
  engine::WeightImage image;
  kernels::cuda::DeviceInfo info;
};
absl::StatusOr<Subject> MakeSubject() {
  Subject made;
  auto image = engine::MakeWeightImage(
      made.program, engine::WeightsInMemory(made.program, RandomWeights(made.program)),
      kernels::ComputeType::kFloat16);
  if (!image.ok()) return image.status();
  made.image = *std::move(image);
  if (kernels::cuda::Describe(0, &made.info) != kernels::cuda::Error::kNone)
    return absl::InternalError("no device");
  return made;
}

absl::StatusOr<json> Time(const std::vector<int>& sizes, const std::vector<bool>& earlies,
                          int steps) {
  const absl::StatusOr<Subject> subject = MakeSubject();
  if (!subject.ok()) return subject.status();
  const auto& [spec, program, image, info] = *subject;
  const std::optional<CountedCard> card = CardNamed(info.name);
  const FiguresByArchitecture figures = ReadFigures("figures.json");
  std::printf("%s, counted as %s%s; beam 4, float16, %d steps\n%6s %6s %6s %10s %10s %9s\n",
              info.name.c_str(), card ? std::string(card->name).c_str() : "no card",
              figures.empty() ? ", without the figures of the machine code" : "", steps, "rows",
              "early", "nodes", "us", "counted us", "us/counted");
  json result;
  for (const int rows : sizes) {
    for (const bool early : earlies) {
      engine::CudaBackendConfig config = StepConfig(spec, rows);
      config.options.early_launch = config.options.early_launch && early;
      const bool is_early = config.options.early_launch && kernels::cuda::LaunchesEarly();
      if (early && !is_early && earlies.size() > 1) continue;  // measured by the next iteration
      const absl::StatusOr<engine::CudaStepTime> time =
          engine::TimeCudaSteps(config, program, image, steps);
      if (!time.ok()) return time.status();
      json line = {{"rows", rows},
                   {"early_launch", is_early},
                   {"nodes", time->nodes},
                   {"fused_output", time->fused},
                   {"seconds", time->seconds}};
      std::printf("%6d %6s %6lld %10.1f", rows, is_early ? "on" : "off",
                  static_cast<long long>(time->nodes), time->seconds * 1e6);
      if (card) {
        const double counted = CountedSeconds(program, *time, rows, is_early, *card, figures);
        line["counted_seconds"] = counted;
        std::printf(" %10.1f %9.2f\n", counted * 1e6, time->seconds / counted);
      } else {
        std::printf(" %10s %9s\n", "-", "-");
      }
      std::fflush(stdout);
      result.push_back(std::move(line));
    }
  }
  return result;
}

// Products that the card does not support are refused, and their lines contain the reason.
absl::StatusOr<json> TimeQuantized(const std::vector<int>& sizes) {
  const absl::StatusOr<Subject> subject = MakeSubject();
  if (!subject.ok()) return subject.status();
  const auto& [spec, program, image, info] = *subject;
  std::printf("%s; beam 4, float16, %d steps\n%8s %8s %6s %6s %10s\n", info.name.c_str(), kSteps,
              "output", "layers", "rows", "nodes", "us");
  constexpr std::pair<kernels::QuantizedType, kernels::QuantizedType> kProducts[] = {
      {kernels::QuantizedType::kNone, kernels::QuantizedType::kNone},
      {kernels::QuantizedType::kInt8, kernels::QuantizedType::kNone},
      {kernels::QuantizedType::kFloat8, kernels::QuantizedType::kNone},
      {kernels::QuantizedType::kNone, kernels::QuantizedType::kInt8},
      {kernels::QuantizedType::kInt8, kernels::QuantizedType::kInt8}};
  json result;
  for (const int rows : sizes) {
    for (const auto& [output, layers] : kProducts) {
      engine::CudaBackendConfig config = StepConfig(spec, rows);
      config.options.output_products = output;
      config.options.layer_products = layers;
      std::printf("%8s %8s %6d ", kernels::QuantizedTypeName(output),
                  kernels::QuantizedTypeName(layers), rows);
      json line = {{"output_products", kernels::QuantizedTypeName(output)},
                   {"layer_products", kernels::QuantizedTypeName(layers)},
                   {"rows", rows}};
      const absl::StatusOr<engine::CudaStepTime> time =
          engine::TimeCudaSteps(config, program, image, kSteps);
      if (absl::IsFailedPrecondition(time.status())) {
        line["refused"] = time.status().message();
        std::printf("%s\n", std::string(time.status().message()).c_str());
      } else if (!time.ok()) {
        return time.status();
      } else {
        line["seconds"] = time->seconds;
        std::printf("%6lld %10.1f\n", static_cast<long long>(time->nodes), time->seconds * 1e6);
      }
      std::fflush(stdout);
      result.push_back(std::move(line));
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<json> GraphStepQuantized() { return TimeQuantized({4096, 1024, 256, 4}); }
absl::StatusOr<json> GraphStep() { return Time({4096, 1024, 256, 4}, {true, false}, kSteps); }
absl::StatusOr<json> GraphStepOf4096() { return Time({4096}, {true}, kProfiledSteps); }
absl::StatusOr<json> GraphStepOf4() { return Time({4}, {true}, kProfiledSteps); }

}  // namespace dragoman::bench
