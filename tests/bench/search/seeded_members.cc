#include "tests/bench/search/seeded_members.h"

#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "tests/engine/support/all_weights.h"
#include "tests/engine/support/weights_in_memory.h"

namespace dragoman::bench {
namespace {

// Returns a number in [-1, 1), the same on every platform for a seed.
double Unit(std::mt19937_64& generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-52 - 1.0;
}

void AddNoise(double share, std::mt19937_64& generator, std::vector<float>& values) {
  double squares = 0;
  for (const float x : values) squares += double{x} * double{x};
  const double rms = std::sqrt(squares / static_cast<double>(values.size()));
  // A uniform number of [-1, 1) has a standard deviation of 1 / sqrt(3).
  const double scale = share * rms * std::sqrt(3.0);
  for (float& x : values) x = static_cast<float>(double{x} + scale * Unit(generator));
}

}  // namespace

absl::StatusOr<std::vector<engine::EnsembleNetwork>> SeededMembers(
    const engine::LoadedModel& loaded, const MemberOptions& options) {
  const absl::StatusOr<engine::WeightValues> trained = engine::ReadAllWeights(loaded);
  if (!trained.ok()) return trained.status();
  std::vector<engine::EnsembleNetwork> members;
  for (int m = 0; m < options.count; ++m) {
    std::mt19937_64 generator(options.seed + static_cast<uint64_t>(m));
    engine::WeightValues values = *trained;
    for (std::vector<float>& weight : values) {
      AddNoise(options.noise_percent / 100.0, generator, weight);
    }
    members.push_back({loaded.program,
                       std::make_shared<engine::WeightsInMemory>(loaded.program, std::move(values)),
                       1.0});
  }
  return members;
}

}  // namespace dragoman::bench
