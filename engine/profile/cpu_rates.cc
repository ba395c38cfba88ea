#include "engine/profile/cpu_profile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "engine/profile/op_times.h"
#include "kernels/base/op_context.h"
#include "kernels/ops/linear.h"

namespace dragoman::engine {
namespace {

constexpr size_t kCopyBytes = size_t{128} << 20;
constexpr int kCopies = 5;

constexpr int64_t kRows = 128;
// The numbers of inputs and outputs of the two matrix products of a feed-forward layer.
constexpr std::pair<int, int> kShapes[] = {{512, 2048}, {2048, 512}};
constexpr int kProducts = 20;

// Returns the least time of several runs, because the first runs find caches empty.
template <class Run>
double BestSeconds(int times, const Run& run) {
  Nanos best = std::numeric_limits<Nanos>::max();
  for (int i = 0; i < times; ++i) best = std::min(best, run());
  return static_cast<double>(std::max<Nanos>(best, 1)) * 1e-9;
}

double BytesPerSecond(const Clock* clock) {
  const std::vector<char> from(kCopyBytes, 1);
  std::vector<char> to(kCopyBytes);
  const double seconds = BestSeconds(kCopies, [&] {
    const Nanos begin = clock->Now();
    std::memcpy(to.data(), from.data(), kCopyBytes);
    return clock->Now() - begin;
  });
  return 2.0 * static_cast<double>(kCopyBytes) / seconds;
}

std::vector<float> RandomNumbers(size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> numbers(count);
  for (float& x : numbers) x = uniform(random);
  return numbers;
}

double FlopPerSecond(kernels::ComputeType type, int in, int out, const Clock* clock) {
  const auto rows = static_cast<size_t>(kRows);
  const auto n_in = static_cast<size_t>(in);
  const auto n_out = static_cast<size_t>(out);
  const std::unique_ptr<kernels::Linear> linear = kernels::Linear::Create(
      RandomNumbers(n_in * n_out).data(), nullptr, in, out, kernels::Activation::kNone, type);
  const std::vector<float> x = RandomNumbers(rows * n_in);
  std::vector<float> y(rows * n_out);
  constexpr char kProduct[] = "product";
  OpTimes times(clock);
  kernels::OpContext context;
  context.set_probe(&times);
  context.Reserve(linear->ScratchFloats(kRows));
  const double seconds = BestSeconds(kProducts, [&] {
    times.Clear();
    times.Before(kProduct);
    linear->Run(context, x.data(), kRows, y.data());
    times.After();
    return times.Of(kProduct);
  });
  return 2.0 * static_cast<double>(kRows) * in * out / seconds;
}

}  // namespace

DeviceRates MeasureCpuRates(kernels::ComputeType type, const Clock* clock) {
  DeviceRates rates;
  rates.bytes_per_second = BytesPerSecond(clock);
  for (const auto& [in, out] : kShapes) {
    rates.flop_per_second = std::max(rates.flop_per_second, FlopPerSecond(type, in, out, clock));
  }
  return rates;
}

}  // namespace dragoman::engine
