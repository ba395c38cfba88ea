// y = activation(x W^T + bias) with weights that are packed once and shared by all.
//
//   x [rows, in], W [out, in], bias [out], y [rows, out]; f32, row-major, dense. x and y must not
//   overlap.
//
// In int8 and bfloat16 the operands of the multiplications are quantized as kernels/cpu/
// quantized_table.h says; bias, sums (int8: exact until they are scaled) and activation are f32, swish to
// 7e-5 of itself: what it gives is quantized next, and it is the activation of OPUS-MT.
//
// A row's result depends on that row and the weights only: it is bit-equal whatever rows are beside
// it, for any number of rows and threads (on machines of one instruction set).
//
// Immutable after Create: any number of threads may Run at once, each with a context of its own.
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
  // Copies weight and bias (nullptr: none), the weight as `type`, with the threads of `context`
  // (nullptr: the caller's alone). nullptr: the CPU has no kernel of this type. REQUIRES: in, out > 0.
  static std::unique_ptr<Linear> Create(const MatrixRows& weight, const float* bias, int in,
                                        int out, Activation activation = Activation::kNone,
                                        ComputeType type = ComputeType::kFloat32,
                                        OpContext* context = nullptr);
  // A Linear of a weight in memory.
  static std::unique_ptr<Linear> Create(const float* weight, const float* bias, int in, int out,
                                        Activation activation = Activation::kNone,
                                        ComputeType type = ComputeType::kFloat32,
                                        OpContext* context = nullptr) {
    return Create(RowsInMemory(weight, in), bias, in, out, activation, type, context);
  }
  virtual ~Linear() = default;

  // bytes() of one of this shape.
  static int64_t BytesOf(ComputeType type, int in, int out);

  // The scratch floats that a thread of a context needs for any number of rows up to max_rows: once
  // a context has Reserved them, Runs of so many rows allocate nothing.
  virtual size_t ScratchFloats(int64_t max_rows) const = 0;

  // Any rows >= 0; rows beyond what was reserved work, but may allocate.
  virtual void Run(OpContext& context, const float* x, int64_t rows, float* y) const = 0;

  // Bytes of the packed weights.
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
