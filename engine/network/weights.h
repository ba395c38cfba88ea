// The numbers of a program's weights, wherever they are: an executor reads them in pieces and keeps
// them in its own form, so that they need not be in memory twice.
//
// Immutable; any number of threads read at once.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "engine/network/program.h"

namespace dragoman::engine {

class Weights {
 public:
  virtual ~Weights() = default;

  // Rows first .. first + count - 1 of a weight as f32 to `to` [count, cols], dense. An error names
  // the file, the tensor and what is wrong with it; `to` is then undefined. REQUIRES: the weight has
  // these rows.
  virtual absl::Status Read(WeightId id, int64_t first, int64_t count, float* to) const = 0;

  // Whether these rows are stored as signed bytes with a scale for each: number = byte * scale.
  virtual bool AreInt8(WeightId /*id*/, int64_t /*first*/, int64_t /*count*/) const {
    return false;
  }
  // The same as Read, for int8; scales [count]. REQUIRES: AreInt8 of the rows.
  virtual absl::Status ReadInt8(WeightId id, int64_t first, int64_t count, int8_t* to,
                                float* scales) const;

  // Says that a weight is not read again soon; it may be.
  virtual void Release(WeightId /*id*/) const {}

  // Once all is read: whether it was what the files held when they were opened.
  virtual absl::Status Check() const { return absl::OkStatus(); }
};

// The values of each weight by its index, float32, row-major.
using WeightValues = std::vector<std::vector<float>>;

// Numbers that are in memory.
class WeightsInMemory final : public Weights {
 public:
  // REQUIRES: the values are the program's.
  WeightsInMemory(const Program& program, WeightValues values);
  absl::Status Read(WeightId id, int64_t first, int64_t count, float* to) const override;

 private:
  const std::vector<Weight> shapes_;
  const WeightValues values_;
};

}  // namespace dragoman::engine
