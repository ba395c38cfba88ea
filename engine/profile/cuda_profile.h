// A step of a GPU, launch by launch.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "engine/network/cost_table.h"
#include "engine/network/program.h"
#include "kernels/base/compute_type.h"

namespace dragoman {

// Runs `steps` steps of a full batch of made-up segments without graphs and says, launch by launch,
// what they took and what they could have taken at best (engine/decode/cuda/step_costs.h): a table as text. Takes
// memory of its own: nothing else should run on the device.
absl::StatusOr<std::string> ProfileCudaSteps(const CudaBackendConfig& config,
                                             const Program& program, const WeightImage& image,
                                             int steps);

// The best rates of a device: the denominators of a profile.
//
// Copies half a gigabyte and multiplies matrices of 8192 x 8192 numbers, ten times each. Takes
// about a gigabyte, given back on return, of the current device, whose number is `device`.
absl::StatusOr<DeviceRates> MeasureRates(int device, ComputeType type);

}  // namespace dragoman
