// Measures a step of a GPU, launch by launch.
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

// Runs `steps` steps of a full batch of made-up segments without graphs. Returns a table of the
// time of each launch and of its best possible time (engine/decode/cuda/step_costs.h) as text.
// Takes its own memory, so nothing else should run on the device. The table has the memory of a
// worker; the profile has K/V pages only for its segments. Returns UNIMPLEMENTED without CUDA.
absl::StatusOr<std::string> ProfileCudaSteps(const CudaBackendConfig& config,
                                             const Program& program, const WeightImage& image,
                                             int steps);

// A step as in production. Times are seconds.
struct CudaStepTime {
  double seconds = 0;         // mean of a step
  int64_t nodes = 0;          // of its graph; 0 if `config` turns graphs off
  int64_t rows = 0;           // of each step
  double self_positions = 0;  // mean of a row
  bool fused = false;         // with the fused output layer
};

// Runs `steps` of the steps of ProfileCudaSteps back to back, one graph each, so launches begin
// early if the device and `config` allow it. Records events before the first and after the last
// step. Only in builds with CUDA. Otherwise as ProfileCudaSteps.
absl::StatusOr<CudaStepTime> TimeCudaSteps(const CudaBackendConfig& config, const Program& program,
                                           const WeightImage& image, int steps);

// Measures the best rates of a device, against which a profile compares.
//
// Copies half a gigabyte and multiplies matrices of 8192 x 8192 numbers, ten times each. Takes
// about a gigabyte of the current device, whose number is `device`, until it returns.
absl::StatusOr<DeviceRates> MeasureRates(int device, kernels::ComputeType type);

}  // namespace dragoman::engine
