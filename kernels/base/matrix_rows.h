// The rows of a matrix [n, k] that is about to be packed: the packing code reads them in pieces, so that
// they need not be in memory all at once.
//
// Thread-safe: any number of threads read at once.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dragoman::kernels {

class MatrixRows {
 public:
  virtual ~MatrixRows() = default;

  // Rows first .. first + count - 1 as f32 to `to` [count, k], dense. What cannot be read is zeros:
  // the owner of the rows knows of it.
  virtual void Read(int64_t first, int64_t count, float* to) const = 0;

  // Whether the rows are stored as signed bytes with a scale for each: number = byte * scale. They
  // are then packed in int8 as they are.
  virtual bool AreInt8() const { return false; }
  // The same for int8; scales [count]. REQUIRES: AreInt8().
  virtual void ReadInt8(int64_t /*first*/, int64_t /*count*/, int8_t* /*to*/,
                        float* /*scales*/) const {}
};

// The rows of a matrix in memory, which is borrowed.
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
