// A network's weights as a device holds them: one block of bytes, each weight at its offset. Made
// on the host, copied to every device as it is.
//
// A plain value. Weights are of the compute type but for those that stay float32 (StaysFloat32). The table
// of the output layer has rows of zeros after its own, up to LogitStride(vocabulary): the product that
// makes logits computes those columns as well, for an odd number of them bars it from cuBLASLt's fast
// kernels whatever the stride is (measured: x 2 to 8).
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
  std::vector<int64_t> offset;  // by WeightId: in bytes, a multiple of kWeightAlignment
};

// Reads the weights in pieces. INVALID_ARGUMENT, naming the weight, where a finite number would become
// infinite; else errors as Weights::Read.
absl::StatusOr<WeightImage> MakeWeightImage(const Program& program, const Weights& weights,
                                            kernels::ComputeType type);

// The bytes of such an image, from its shapes alone.
int64_t WeightImageBytes(const Program& program, kernels::ComputeType type);

}  // namespace dragoman::engine
