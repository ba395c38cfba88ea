// A network's weights in the form that GPUs use: one block of bytes with each weight at its offset.
// The host makes this image once and copies it to every GPU.
//
// Weights have the compute type, except those that stay float32 (StaysFloat32). The table of the
// output layer is padded with zeros to LogitStride(vocabulary) rows. The product that computes
// logits includes these rows, because cuBLASLt is 2 to 8 times slower for odd sizes of the
// vocabulary (measured).
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

// Makes the image. Reads the weights in pieces. Returns INVALID_ARGUMENT with the name of the
// weight if rounding would make a finite number infinite. Returns UNIMPLEMENTED for an unsupported
// type, and the errors of Weights::Read.
absl::StatusOr<WeightImage> MakeWeightImage(const Program& program, const Weights& weights,
                                            kernels::ComputeType type);

// Returns the number of bytes of the image that MakeWeightImage would make, from the shapes of the
// weights alone.
int64_t WeightImageBytes(const Program& program, kernels::ComputeType type);

}  // namespace dragoman::engine
