// Measures a decoding step on a GPU, launch by launch.
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

// Runs `steps` steps of a full batch of artificial segments (profile_steps.h), without CUDA graphs.
// Returns a text of two parts: a line about the memory that a worker with this configuration takes,
// and a table with the time of each launch and its best possible time
// (engine/decode/cuda/step_costs.h). Allocates its own memory, so no other engine should use the
// device. Returns UNIMPLEMENTED in a build without CUDA.
absl::StatusOr<std::string> ProfileCudaSteps(const CudaBackendConfig& config,
                                             const Program& program, const WeightImage& image,
                                             int steps);

// The mean time of a step that runs as in production, without a measurement of each launch.
struct CudaStepTime {
  double seconds = 0;         // mean time of a step
  int64_t nodes = 0;          // nodes of a step's CUDA graph; 0 if `config` turns graphs off
  int64_t rows = 0;           // rows of each step
  double self_positions = 0;  // mean number of positions that a row attends over, its own included
  bool fused = false;         // the steps used the fused output layer
};

// Runs `steps` steps of the batch that ProfileCudaSteps uses, without pauses. Each step is one CUDA
// graph unless `config` turns graphs off. So a launch may begin before the previous one ends, if
// the device and `config` allow it. Measures the time with events before the first and after the
// last step. Errors are those of ProfileCudaSteps. Does not exist in builds without CUDA.
absl::StatusOr<CudaStepTime> TimeCudaSteps(const CudaBackendConfig& config, const Program& program,
                                           const WeightImage& image, int steps);

// Measures the memory rate and the arithmetic rate of a GPU. A profile compares the times of
// operations with these rates.
//
// Copies 512 MiB and multiplies two matrices of 8192 x 8192 numbers, each ten times. Takes up to
// about 1 GiB of the device's memory until it returns. REQUIRES: `device` is the current device of
// the calling thread.
absl::StatusOr<DeviceRates> MeasureRates(int device, kernels::ComputeType type);

}  // namespace dragoman::engine
