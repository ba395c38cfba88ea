// Weights in memory, for programs that no file describes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/network/weights.h"

namespace dragoman::engine {

class WeightsInMemory final : public Weights {
 public:
  // REQUIRES: the values are those of the program.
  WeightsInMemory(const Program& program, WeightValues values)
      : shapes_(program.weights), values_(std::move(values)) {}

  absl::Status Read(WeightId id, int64_t first, int64_t count, float* to) const override {
    const auto index = static_cast<size_t>(id);
    const int64_t cols = shapes_[index].cols;
    std::copy_n(values_[index].data() + first * cols, count * cols, to);
    return absl::OkStatus();
  }

 private:
  const std::vector<Weight> shapes_;
  const WeightValues values_;
};

}  // namespace dragoman::engine
