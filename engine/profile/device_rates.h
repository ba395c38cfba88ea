// The best rates of a device, measured: the denominators of a profile.
#pragma once

#include "absl/status/statusor.h"
#include "engine/network/cost_table.h"
#include "kernels/base/compute_type.h"

namespace dragoman {

// Copies half a gigabyte and multiplies matrices of 8192 x 8192 numbers, ten times each. Takes
// about a gigabyte, given back on return, of the current device, whose number is `device`.
absl::StatusOr<DeviceRates> MeasureRates(int device, ComputeType type);

}  // namespace dragoman
