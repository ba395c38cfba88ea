// The rows of a weight matrix that is to be packed: n rows of k numbers. Packing reads a few rows
// at a time, so they need not be in memory all at once. Thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dragoman::kernels {

class MatrixRows {
 public:
  virtual ~MatrixRows() = default;

  // Reads rows first .. first + count - 1 as f32 into `to`, which has room for count * k numbers.
  // Rows that cannot be read become zeros; the owner of the rows keeps the error.
  virtual void Read(int64_t first, int64_t count, float* to) const = 0;

  // Reports whether the rows are stored as signed bytes with one scale per row: number = byte *
  // scale. If they are packed in int8, the packed matrix keeps these bytes, unless the instruction
  // set limits weights to less than 127.
  virtual bool AreInt8() const { return false; }
  // Reads rows first .. first + count - 1 as count * k bytes into `to`, and their `count` scales
  // into `scales`. REQUIRES: AreInt8().
  virtual void ReadInt8(int64_t /*first*/, int64_t /*count*/, int8_t* /*to*/,
                        float* /*scales*/) const {}
};

// The rows of a matrix in memory. The matrix is borrowed.
class RowsInMemory final : public MatrixRows {
 public:
  RowsInMemory(const float* matrix, int64_t k) : matrix_(matrix), k_(k) {}
  void Read(int64_t first, int64_t count, float* to) const override {
    std::copy_n(matrix_ + first * k_, count * k_, to);
  }

 private:
  const float* const matrix_;
  const int64_t k_;
};

}  // namespace dragoman::kernels
