// A step of the CPU's executor, operation by operation.
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

// The mean of the steps that were timed.
struct CpuProfile {
  OpRows rows;
  // The program's operations by their names, each without its parts (kernels/base/op_probe.h); the
  // parts; and what DecodingBatch does around the model's step. The last two are not counted.
  std::vector<StepCost> costs;
  std::vector<double> seconds;  // by `costs`
  double step_seconds = 0;      // their sum
  double product_seconds = 0;   // of all products and the output layer, without their parts
};

inline constexpr char kAroundTheModel[] = "search and tables";

// Fills the batch of a worker as profiled_steps.h says and times `steps` steps of it. Takes memory
// of its own for all their K/V. Errors as CheckProfile's and CreateCpuModel's; RESOURCE_EXHAUSTED
// without the memory; INTERNAL when a logit of the model is not a number. REQUIRES: steps > 0; the
// weights are the program's.
absl::StatusOr<CpuProfile> MeasureCpuSteps(const CpuProfileConfig& config, const Program& program,
                                           const Weights& weights, int steps, const Clock* clock);

// Measures the rates of one thread, then the steps: the table as text.
absl::StatusOr<std::string> ProfileCpuSteps(const CpuProfileConfig& config, const Program& program,
                                            const Weights& weights, int steps, const Clock* clock);

// The best rates of one thread of this CPU: the denominators of a profile.
//
// Copies more memory than caches hold, and multiplies 128 rows by matrices of 512 x 2048 numbers
// that stay in cache; turning the rows into operands is not counted. The best of several times, for
// the machine may have other work. Takes a quarter of a gigabyte, given back on return. REQUIRES:
// the CPU has products of this type.
DeviceRates MeasureCpuRates(kernels::ComputeType type, const Clock* clock);

}  // namespace dragoman::engine
