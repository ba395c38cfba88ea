// Times of work on a stream, by events.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/cuda/launch.h"

namespace dragoman::bench {

absl::Status Said(kernels::cuda::Error error);

// Seconds of one call, the median over samples of ten calls each; after some that are not counted.
// `turn` counts the calls, so that each may use other memory than the one before. The time is that
// of the stream: what it waits for the host counts.
absl::StatusOr<double> MedianSeconds(kernels::cuda::Stream stream,
                                     const std::function<kernels::cuda::Error(int turn)>& call);

// The same for launches that are recorded first, a graph for each of `turns` that follow each
// other: what a launch costs the host is left out. REQUIRES: turns > 0.
absl::StatusOr<double> MedianGraphSeconds(
    kernels::cuda::Stream stream, int turns,
    const std::function<kernels::cuda::Error(int turn)>& launches);

}  // namespace dragoman::bench
