// Measures the time of work on a stream with events.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/cuda/launch.h"

namespace dragoman::bench {

absl::Status Said(kernels::cuda::Error error);

// Returns the seconds of one call: the median over samples of ten calls each, after a warm-up.
// `turn` counts the calls, so that each call can use other memory than the one before. The time is
// that of the stream, so it includes the stream's waits for the host.
absl::StatusOr<double> MedianSeconds(kernels::cuda::Stream stream,
                                     const std::function<kernels::cuda::Error(int turn)>& call);

// Does the same for launches that are recorded first, as one graph for each of `turns` turns, which
// run one after the other. The time then excludes the host's cost of a launch. REQUIRES: turns > 0.
absl::StatusOr<double> MedianGraphSeconds(
    kernels::cuda::Stream stream, int turns,
    const std::function<kernels::cuda::Error(int turn)>& launches);

}  // namespace dragoman::bench
