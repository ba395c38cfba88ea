#include "engine/network/weights.h"

#include <algorithm>
#include <utility>

namespace dragoman::engine {

absl::Status Weights::ReadInt8(WeightId, int64_t, int64_t, int8_t*, float*) const {
  return absl::InternalError("weights: not stored as int8");
}

WeightsInMemory::WeightsInMemory(const Program& program, WeightValues values)
    : shapes_(program.weights), values_(std::move(values)) {}

absl::Status WeightsInMemory::Read(WeightId id, int64_t first, int64_t count, float* to) const {
  const auto index = static_cast<size_t>(id);
  const int64_t cols = shapes_[index].cols;
  std::copy_n(values_[index].data() + first * cols, count * cols, to);
  return absl::OkStatus();
}

}  // namespace dragoman::engine
