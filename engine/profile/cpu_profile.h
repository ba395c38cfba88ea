// Measures a decoding step on the CPU, operation by operation.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "engine/decode/batch.h"
#include "engine/network/cost_table.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

// The configuration of one worker.
struct CpuProfileConfig {
  BatchConfig batch;
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  int threads = 1;
};

// The result of MeasureCpuSteps. All times are means over the timed steps.
struct CpuProfile {
  OpRows rows;
  // The entries are, in this order: one for each name of an operation of the decoder; one for each
  // part of operations that is measured separately (kernels/base/op_probe.h); and kAroundTheModel.
  // The time of an operation excludes its parts. Only operations have bytes and flop.
  std::vector<StepCost> costs;
  std::vector<double> seconds;  // the time of each entry of `costs`
  double step_seconds = 0;      // the time of a complete step: the sum of `seconds`
  // The time of all matrix products, including the output layer's. Excludes the parts that are
  // measured separately.
  double product_seconds = 0;
};

// The name for the work of DecodingBatch outside the model's step.
inline constexpr char kAroundTheModel[] = "search and tables";

// Fills the batch of a worker with the segments that profile_steps.h describes, and times `steps`
// of its steps. Allocates the memory for their K/V. Returns the errors of CheckProfile and
// CreateCpuModel, RESOURCE_EXHAUSTED if memory is lacking, and INTERNAL if a logit is NaN.
// REQUIRES: steps > 0; `weights` belong to `program`.
absl::StatusOr<CpuProfile> MeasureCpuSteps(const CpuProfileConfig& config, const Program& program,
                                           const Weights& weights, int steps, const Clock* clock);

// Calls MeasureCpuSteps and MeasureCpuRates. Returns their results as a table (TableText in
// engine/network/cost_table.h).
absl::StatusOr<std::string> ProfileCpuSteps(const CpuProfileConfig& config, const Program& program,
                                            const Weights& weights, int steps, const Clock* clock);

// Measures the memory rate and the arithmetic rate of one thread of this CPU. A profile compares
// the times of operations with these rates.
//
// Copies 128 MiB, more than caches hold. Multiplies 128 rows by matrices of 512 x 2048 numbers that
// stay in cache. The time does not include the conversion of the rows to operands. Takes the best
// of several runs, because the machine may have other work. Needs 256 MiB of memory until it
// returns. REQUIRES: the CPU has kernels for products of this type.
DeviceRates MeasureCpuRates(kernels::ComputeType type, const Clock* clock);

}  // namespace dragoman::engine
