// The values of a program's weights, in files or in memory. An executor reads them in pieces and
// converts each piece to its own form at once, so that memory never holds all weights twice.
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

  // Reads the rows first .. first + count - 1 of a weight as float32 into `to`, which has space for
  // count * cols numbers. An error names the file, the tensor and the problem, and leaves the
  // contents of `to` undefined. REQUIRES: the rows exist.
  virtual absl::Status Read(WeightId id, int64_t first, int64_t count, float* to) const = 0;

  // Reports whether the rows are stored as int8 with one float32 scale per row: number = int8 *
  // scale.
  virtual bool AreInt8(WeightId /*id*/, int64_t /*first*/, int64_t /*count*/) const {
    return false;
  }
  // Like Read, but returns the stored int8 numbers, and one scale per row in `scales`. REQUIRES:
  // AreInt8 returns true for these rows.
  virtual absl::Status ReadInt8(WeightId /*id*/, int64_t /*first*/, int64_t /*count*/,
                                int8_t* /*to*/, float* /*scales*/) const {
    return absl::InternalError("weights: not stored as int8");
  }

  // A hint that the weight will probably not be read again, so that its memory can be released.
  virtual void Release(WeightId /*id*/) const {}

  // Checks that the files have not changed since they were opened. Call this after all reads.
  virtual absl::Status Check() const { return absl::OkStatus(); }
};

// The values of all weights, indexed by WeightId. Each weight is a row-major float32 matrix.
using WeightValues = std::vector<std::vector<float>>;

}  // namespace dragoman::engine
