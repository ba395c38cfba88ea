// Whether algorithms of cuBLASLt give a row the same bits wherever it stands, tried on random rows.
//
// One algorithm at the largest number of rows makes the reference. The lower half of its rows
// repeats the upper half, an odd number of rows further down: the same row at two places of a tile
// must come out the same. Then every other number of rows computes the same rows in as many calls
// as that takes, and all of it is compared bit by bit. Another order of summation moves the last
// bit of an f32 sum in a good part of all elements, which shows after rounding to 16 bits in about
// one of some thousand; compared are up to a million.
//
// For load, not for a step: allocates and waits. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/lt_product.h"
#include "kernels/cuda/stream.h"

namespace dragoman::kernels::cuda {

class LtTrial {
 public:
  // `product` was made of `shape` and `rows` (ascending) and is borrowed with `weight`, which holds
  // its numbers already.
  LtTrial(const LtProduct& product, const LtShape& shape, std::span<const int> rows,
          int64_t workspace_bytes, const void* weight)
      : product_(product),
        shape_(shape),
        rows_(rows.begin(), rows.end()),
        workspace_bytes_(workspace_bytes),
        weight_(weight) {}

  // Memory for the largest number of rows: x once and y twice.
  Error Prepare();

  // Makes the reference. *steady: its rows do not depend on their place, and the algorithm ran.
  // An error means that the device failed, here and below.
  Error Reference(const LtAlgorithm& algorithm, bool* steady);

  // Whether rows in calls of rows[bucket] come out as in the reference. REQUIRES: Reference.
  Error Agrees(size_t bucket, const LtAlgorithm& algorithm, bool* agrees);
  // The same of another product: a call of it computes rows[bucket] rows. An error of it means that
  // it does not agree.
  using Call = std::function<Error(Stream stream, const void* x, void* y)>;
  Error Agrees(size_t bucket, const Call& call, bool* agrees);

  // Applies `pass` to all rows of the reference, which becomes the result.
  Error Rework(const std::function<Error(Stream stream, void* y, int64_t rows)>& pass) {
    return pass(stream_.get(), reference_.data(), largest());
  }

  // The stream of the trial and a product on it, for measurements.
  Stream stream() const { return stream_.get(); }
  Error Run(size_t bucket, const LtAlgorithm& algorithm) {
    return Run(bucket, algorithm, 0, y_.data());
  }

 private:
  Error Run(size_t bucket, const LtAlgorithm& algorithm, int64_t first_row, void* y) const;
  // Waits; *same: `rows` rows of a and b have the same bits.
  Error Compare(const void* a, const void* b, int64_t rows, bool* same);
  int64_t largest() const { return rows_.back(); }
  int64_t y_row_bytes() const { return shape_.y_stride * ElementBytes(shape_.y_type); }
  int64_t x_row_bytes() const { return shape_.in * ElementBytes(shape_.type); }
  int64_t period() const { return largest() / 2 | 1; }

  const LtProduct& product_;
  const LtShape shape_;
  const std::vector<int> rows_;
  const int64_t workspace_bytes_;
  const void* const weight_;
  DeviceBuffer workspace_;
  DeviceBuffer x_;
  DeviceBuffer reference_;
  DeviceBuffer y_;
  DeviceBuffer different_;
  PinnedBuffer found_;
  OwnedStream stream_;
};

}  // namespace dragoman::kernels::cuda
