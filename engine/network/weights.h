// The values of a program's weights, wherever they are stored. An executor reads them in pieces
// into its own form, so they are not in memory twice.
//
// Immutable. Any number of threads may read at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "engine/network/program.h"

namespace dragoman::engine {

class Weights {
 public:
  virtual ~Weights() = default;

  // Reads rows first .. first + count - 1 of a weight as f32 into `to` [count, cols], dense. An
  // error names file, tensor and problem; `to` is then undefined. REQUIRES: the rows exist.
  virtual absl::Status Read(WeightId id, int64_t first, int64_t count, float* to) const = 0;

  // Reports whether the rows are signed bytes with a scale each: number = byte * scale.
  virtual bool AreInt8(WeightId /*id*/, int64_t /*first*/, int64_t /*count*/) const {
    return false;
  }
  // The same as Read, for int8; scales [count]. REQUIRES: AreInt8 of the rows.
  virtual absl::Status ReadInt8(WeightId /*id*/, int64_t /*first*/, int64_t /*count*/,
                                int8_t* /*to*/, float* /*scales*/) const {
    return absl::InternalError("weights: not stored as int8");
  }

  // Hints that the weight will not be read again soon. It may be read again.
  virtual void Release(WeightId /*id*/) const {}

  // Call after all reads: checks that the files did not change since they were opened.
  virtual absl::Status Check() const { return absl::OkStatus(); }
};

// The values of each weight by its index, float32, row-major.
using WeightValues = std::vector<std::vector<float>>;

}  // namespace dragoman::engine
