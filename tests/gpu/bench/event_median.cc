#include "tests/gpu/bench/event_median.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/cuda/graph.h"
#include "kernels/cuda/stream.h"

namespace dragoman::bench {
namespace {

constexpr int kSamples = 15;
constexpr int kUncounted = 2;
constexpr int kCallsOfASample = 10;

}  // namespace

absl::Status Said(kernels::cuda::Error error) {
  if (error == kernels::cuda::Error::kNone) return absl::OkStatus();
  return absl::InternalError(kernels::cuda::ErrorText(error));
}

absl::StatusOr<double> MedianSeconds(kernels::cuda::Stream stream,
                                     const std::function<kernels::cuda::Error(int turn)>& call) {
  kernels::cuda::Event begin, end;
  if (auto s = Said(begin.Create(kernels::cuda::Event::Timing::kOn)); !s.ok()) return s;
  if (auto s = Said(end.Create(kernels::cuda::Event::Timing::kOn)); !s.ok()) return s;
  std::vector<double> samples;
  int turn = 0;
  for (int sample = -kUncounted; sample < kSamples; ++sample) {
    if (auto s = Said(begin.Record(stream)); !s.ok()) return s;
    for (int i = 0; i < kCallsOfASample; ++i) {
      if (auto s = Said(call(turn++)); !s.ok()) return s;
    }
    if (auto s = Said(end.Record(stream)); !s.ok()) return s;
    if (auto s = Said(end.Wait()); !s.ok()) return s;
    float milliseconds = 0;
    if (auto s = Said(end.MillisecondsSince(begin, &milliseconds)); !s.ok()) return s;
    if (sample >= 0) samples.push_back(milliseconds / 1e3 / kCallsOfASample);
  }
  std::nth_element(samples.begin(), samples.begin() + kSamples / 2, samples.end());
  return samples[kSamples / 2];
}

absl::StatusOr<double> MedianGraphSeconds(
    kernels::cuda::Stream stream, int turns,
    const std::function<kernels::cuda::Error(int turn)>& launches) {
  // A kernel is loaded at its first launch, which must therefore come before the recording.
  if (auto s = Said(launches(0)); !s.ok()) return s;
  std::vector<kernels::cuda::Graph> graphs(static_cast<size_t>(turns));
  for (int turn = 0; turn < turns; ++turn) {
    const kernels::cuda::Error error =
        graphs[static_cast<size_t>(turn)].Record(stream, [&] { return launches(turn); });
    if (auto s = Said(error); !s.ok()) return s;
  }
  return MedianSeconds(
      stream, [&](int turn) { return graphs[static_cast<size_t>(turn % turns)].Launch(stream); });
}

}  // namespace dragoman::bench
