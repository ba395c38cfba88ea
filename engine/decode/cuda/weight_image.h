// A network's weights in the form for devices: one block of bytes with each weight at its offset.
// The host makes it once and copies it to every device. A plain value.
//
// Weights have the compute type, except those that stay float32 (StaysFloat32). Zeros pad the table
// of the output layer to LogitStride(vocabulary) rows. The product that makes the logits computes
// these columns too, because cuBLASLt is 2 to 8 times slower for odd numbers of columns (measured).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {

inline constexpr int64_t kWeightAlignment = 256;

struct WeightImage {
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  std::vector<uint8_t> bytes;
  std::vector<int64_t> offset;  // by WeightId, in bytes; multiples of kWeightAlignment
};

// Reads the weights in pieces. Returns INVALID_ARGUMENT, which names the weight, if a finite number
// would become infinite, UNIMPLEMENTED for an unsupported type, and the errors of Weights::Read.
absl::StatusOr<WeightImage> MakeWeightImage(const Program& program, const Weights& weights,
                                            kernels::ComputeType type);

// Returns the bytes of such an image, from its shapes alone.
int64_t WeightImageBytes(const Program& program, kernels::ComputeType type);

}  // namespace dragoman::engine
