// Tests on random rows whether cuBLASLt algorithms compute the same bits for a row at every place
// in the input.
//
// One algorithm at the largest number of rows computes the reference. x repeats: row i + p equals
// row i, where the period p is half of the rows, made odd. So each row occurs at two places of a
// tile and must have the same result at both. Then every other number of rows computes the same
// rows in several calls, and all bits are compared. Another order of summation changes the last bit
// of many f32 sums. After rounding to 16 bits it still changes one element in some thousand; up to
// a million elements are compared.
//
// Runs while a model is loaded, because it allocates and waits. Not thread-safe.
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
  // Borrows `product`, which was created with `shape` and `rows` (ascending), and `weight`, which
  // already has its values.
  LtTrial(const LtProduct& product, const LtShape& shape, std::span<const int> rows,
          int64_t workspace_bytes, const void* weight)
      : product_(product),
        shape_(shape),
        rows_(rows.begin(), rows.end()),
        workspace_bytes_(workspace_bytes),
        weight_(weight) {}

  // Allocates x once and y twice, for the largest number of rows. One y is the reference.
  Error Prepare();

  // Computes the reference. Sets *steady to whether the algorithm ran and gave equal rows of x
  // equal results. A returned error, here and below, means that the device failed.
  Error Reference(const LtAlgorithm& algorithm, bool* steady);

  // Sets *agrees to whether calls with rows[bucket] rows give the bits of the reference. REQUIRES:
  // Reference was called.
  Error Agrees(size_t bucket, const LtAlgorithm& algorithm, bool* agrees);
  // Like Agrees above, but `call` computes the product, in another way than cuBLASLt: it computes
  // rows[bucket] rows. If it returns an error, *agrees becomes false.
  using Call = std::function<Error(Stream stream, const void* x, void* y)>;
  Error Agrees(size_t bucket, const Call& call, bool* agrees);

  // Applies `pass` in place to all rows of the reference.
  Error Rework(const std::function<Error(Stream stream, void* y, int64_t rows)>& pass) {
    return pass(stream_.get(), reference_.data(), largest());
  }

  // Returns the stream on which the products run.
  Stream stream() const { return stream_.get(); }
  // Computes the product of rows[bucket] rows once, for measurements.
  Error Run(size_t bucket, const LtAlgorithm& algorithm) {
    return Run(bucket, algorithm, 0, y_.data());
  }

 private:
  Error Run(size_t bucket, const LtAlgorithm& algorithm, int64_t first_row, void* y) const;
  // Sets *same to whether `rows` rows of a and b have the same bits. Waits for the device.
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
