// Measures a step of the CPU's executor, operation by operation.
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

// The mean of the timed steps.
struct CpuProfile {
  OpRows rows;
  // The program's operations by name, without their parts; the parts (kernels/base/op_probe.h); and
  // DecodingBatch's work around the model's step. Parts and work have no bytes and no flop.
  std::vector<StepCost> costs;
  std::vector<double> seconds;  // by `costs`
  double step_seconds = 0;      // their sum
  double product_seconds = 0;   // of all products and the output layer, without their parts
};

inline constexpr char kAroundTheModel[] = "search and tables";

// Fills the batch of a worker as in profile_steps.h and times `steps` of its steps. Has its own
// memory for their K/V. Returns errors of CheckProfile and CreateCpuModel, RESOURCE_EXHAUSTED
// without the memory, and INTERNAL if a logit is NaN. REQUIRES: steps > 0; weights of the program.
absl::StatusOr<CpuProfile> MeasureCpuSteps(const CpuProfileConfig& config, const Program& program,
                                           const Weights& weights, int steps, const Clock* clock);

// Measures the steps, then the rates of one thread. Returns the table as text.
absl::StatusOr<std::string> ProfileCpuSteps(const CpuProfileConfig& config, const Program& program,
                                            const Weights& weights, int steps, const Clock* clock);

// Measures the best rates of one thread of this CPU, against which a profile compares.
//
// Copies more memory than caches hold. Multiplies 128 rows by matrices of 512 x 2048 numbers that
// stay in cache, without the time to convert the rows to operands. Takes the best of several times,
// because the machine may have other work. Takes a quarter of a gigabyte until it returns.
// REQUIRES: the CPU has products of this type.
DeviceRates MeasureCpuRates(kernels::ComputeType type, const Clock* clock);

}  // namespace dragoman::engine
