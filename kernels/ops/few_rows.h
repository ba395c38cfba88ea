// y = activation(x W^T + bias) for a few rows, by a kernel on the tensor cores of sm_80 and later.
//
//   x [rows, in], W [out, in], bias [out], y [rows, out] of one 16-bit type, all row-major and
//   dense, except that rows of y are y_stride apart
//
// The time of such a product is mostly latency. Measured alone on an H200, cuBLASLt takes 6.2 to
// 6.9 us and this kernel 3.1 to 5.0 (kernels/README.md, "Products on a device").
//
// An element is the sum over k in ascending order. One instruction (mma m16n8k16) adds 16 products
// at a time to an f32. Then the bias is added in f32, and the sum is rounded to the 16-bit type. An
// activation is computed from the rounded number and rounded again, as in a separate pass
// (activation_cuda.h). So a row's result depends neither on other rows nor on the row's index. A
// model uses this kernel for few rows and cuBLASLt for more only if a trial on the device finds
// that both give the same bits (kernels/cuda/lt_trial.h).
#pragma once

#include <cstdint>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

inline constexpr int kMostFewRows = 16;

struct FewRows {
  int in = 0;
  int out = 0;
  int64_t y_stride = 0;
  ComputeType type = ComputeType::kFloat16;
  const void* weight = nullptr;
  const void* bias = nullptr;  // nullptr: none
  Activation activation = Activation::kNone;
};

// Reports whether the kernel takes this shape on the current device: the type has 16 bits, `in` is
// a multiple of 32, `out` of 8, `y_stride` is even, and a block's shared memory holds 24 rows of
// `in`. REQUIRES: it is called once before MultiplyFewRows. Leaves no error on the device.
bool TakesFewRows(const FewRows& product);

// REQUIRES: TakesFewRows returned true; rows is 0 .. kMostFewRows; x, W, bias are 16-byte aligned.
Error MultiplyFewRows(Stream stream, const FewRows& product, const void* x, int64_t rows, void* y);

}  // namespace dragoman::kernels::cuda
