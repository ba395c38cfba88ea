// y = activation(x W^T + bias) with weights that are packed once and shared by all threads.
//
//   x [rows, in], W [out, in], bias [out], y [rows, out]; f32, row-major, dense. x and y must not
//   overlap.
//
// In int8 and bfloat16 the operands are quantized (kernels/cpu/quantized_table.h). Bias, activation
// and sums are f32; sums of int8 products are exact integers until they are scaled. With these
// types swish, which OPUS-MT uses, is approximated with a relative error of 7e-5, because its
// result is quantized next.
//
// A row's result depends only on that row and the weights. It is bit-equal whatever the other rows
// are, for any number of rows and threads (on machines of one instruction set).
//
// Immutable after Create. Any number of threads may Run at once, each with a context of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/matrix_rows.h"
#include "kernels/base/op_context.h"

namespace dragoman::kernels {

class Linear {
 public:
  // Copies `weight` (as `type`) and `bias` (nullptr: none) with the threads of `context` (nullptr:
  // with the calling thread only). Returns nullptr if the CPU has no kernel of this type. REQUIRES:
  // in, out > 0.
  static std::unique_ptr<Linear> Create(const MatrixRows& weight, const float* bias, int in,
                                        int out, Activation activation = Activation::kNone,
                                        ComputeType type = ComputeType::kFloat32,
                                        OpContext* context = nullptr);
  // Create for a weight [out, in] in memory.
  static std::unique_ptr<Linear> Create(const float* weight, const float* bias, int in, int out,
                                        Activation activation = Activation::kNone,
                                        ComputeType type = ComputeType::kFloat32,
                                        OpContext* context = nullptr) {
    return Create(RowsInMemory(weight, in), bias, in, out, activation, type, context);
  }
  virtual ~Linear() = default;

  // Returns what bytes() returns for a Linear of this shape.
  static int64_t BytesOf(ComputeType type, int in, int out);

  // Returns the number of floats of scratch that each thread needs for up to max_rows rows. After
  // OpContext::Reserve of that number, Runs of up to max_rows rows allocate nothing.
  virtual size_t ScratchFloats(int64_t max_rows) const = 0;

  // Computes y for rows of x. REQUIRES: rows >= 0. May allocate scratch if rows is larger than the
  // max_rows that scratch was reserved for.
  virtual void Run(OpContext& context, const float* x, int64_t rows, float* y) const = 0;

  // Returns the number of bytes that the packed weights take.
  virtual int64_t bytes() const = 0;

  int in() const { return in_; }
  int out() const { return out_; }

 protected:
  Linear(int in, int out) : in_(in), out_(out) {}

 private:
  const int in_;
  const int out_;
};

}  // namespace dragoman::kernels
