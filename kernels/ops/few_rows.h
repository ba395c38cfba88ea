// y = activation(x W^T + bias) for a few rows, by a kernel of our own on the tensor cores of sm_80 and later.
//
//   x [rows, in], W [out, in], bias [out], y [rows, out] of one 16-bit type, all row-major; rows of y
//   lie y_stride apart, all others are dense
//
// What a product takes that reads each weight once and hardly computes is latency: alone on an H200 cuBLASLt's takes 6.2
// to 6.9 us, this one 3.1 to 5.0 (kernels/README.md, "Products on a device").
//
// An element is the sum over k in its order, 16 at a time by one instruction that adds to an f32
// (mma m16n8k16); then the bias is added in f32, and it is rounded. An activation is that of the
// rounded number, and is rounded again, as by a pass of its own (activation_cuda.h). So a row depends
// on no other and on no place. Whether that order is the one of an algorithm of cuBLASLt, bit by bit,
// is for a trial on the device to say (lt_trial.h): it is used beside one only where it is.
#pragma once

#include <cstdint>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

inline constexpr int kMostFewRows = 16;  // at most

struct FewRows {
  int in = 0;
  int out = 0;
  int64_t y_stride = 0;
  ComputeType type = ComputeType::kFloat16;
  const void* weight = nullptr;
  const void* bias = nullptr;  // nullptr: none
  Activation activation = Activation::kNone;
};

// Whether the current device takes the shape: its type has 16 bits, `in` is a multiple of 32, `out`
// of 8, `y_stride` is even, and a block's shared memory holds 24 rows of `in`. Call it once before
// MultiplyFewRows; it leaves no error on the device.
bool TakesFewRows(const FewRows& product);

// REQUIRES: TakesFewRows returned true; 0 <= rows <= kMostFewRows; x, W and bias are aligned to 16 bytes.
Error MultiplyFewRows(Stream stream, const FewRows& product, const void* x, int64_t rows, void* y);

}  // namespace dragoman::kernels::cuda
