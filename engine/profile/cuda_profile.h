// A step of a GPU, launch by launch.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "engine/network/cost_table.h"
#include "engine/network/program.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

// Runs `steps` steps of a full batch of made-up segments without graphs and says, launch by launch,
// what they took and what they could have taken at best (engine/decode/cuda/step_costs.h): a table as text. Takes
// memory of its own: nothing else should run on the device. The memory in the table is what a worker
// would take; the profile has only the K/V pages of its own segments.
absl::StatusOr<std::string> ProfileCudaSteps(const CudaBackendConfig& config,
                                             const Program& program, const WeightImage& image,
                                             int steps);

// A step as it is made in production. Times are seconds.
struct CudaStepTime {
  double seconds = 0;         // of a step, the mean
  int64_t nodes = 0;          // of its graph; 0 where `config` turns graphs off
  int64_t rows = 0;           // that were there in each
  double self_positions = 0;  // of a row, the mean
  bool fused = false;         // by the fused output layer
};

// Makes `steps` of the steps of ProfileCudaSteps one right after the other: a graph each, with nothing
// between their launches, so that these begin early where the device and `config` allow. Events stand
// before the first and after the last. In builds with CUDA only; all else as ProfileCudaSteps.
absl::StatusOr<CudaStepTime> TimeCudaSteps(const CudaBackendConfig& config, const Program& program,
                                           const WeightImage& image, int steps);

// The best rates of a device: the denominators of a profile.
//
// Copies half a gigabyte and multiplies matrices of 8192 x 8192 numbers, ten times each. Takes
// about a gigabyte, given back on return, of the current device, whose number is `device`.
absl::StatusOr<DeviceRates> MeasureRates(int device, kernels::ComputeType type);

}  // namespace dragoman::engine
