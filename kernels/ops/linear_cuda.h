// Computes y = activation(x W^T + bias) on a GPU, usually by cuBLASLt with one pinned algorithm.
//
//   x [rows, in], W [out, in] of the compute type; y [rows, out] of the compute type or f32, bias
//   [out] of y's type; row-major, dense except y, whose rows may be y_stride apart
//
// A row's result depends only on that row and the weights. cuBLASLt by itself would choose another
// kernel, and so another order of summation, for another number of rows. So Create pins one
// algorithm without split-K for all row counts and tests it: random rows must have equal bits at
// every place of the matrix and in every row count of `buckets` (kernels/cuda/lt_trial.h). If no
// algorithm passes, Create pins two, one for small and one for large row counts. A row then has
// equal bits within each of the two classes (other_bits_from). If that fails too, Create fails.
//
// The algorithm depends only on the shape, the buckets, the device and cuBLASLt's version: it is
// the first one in cuBLASLt's order that passes. It is not chosen by measured time. If two
// algorithms are nearly as fast, either may win a measurement, so the last bits of scores would
// change after a restart, or differ between two GPUs.
//
// Immutable after Create. Any number of threads may call Run, each with its own stream and
// workspace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Holds a handle of cuBLASLt. Each device needs its own.
class Blas {
 public:
  static constexpr int64_t kWorkspaceBytes = int64_t{4} << 20;

  // Creates a handle for the current device. Returns nullptr and sets `why` if cuBLASLt is missing
  // or fails.
  static std::unique_ptr<Blas> Create(std::string* why);
  virtual ~Blas() = default;
};

struct LinearOptions {
  int in = 0;   // columns of x; a multiple of 8
  int out = 0;  // columns of y; a multiple of 8 if the activation is neither kNone nor kRelu
  ComputeType type = ComputeType::kFloat32;  // type of x and W; f32 products do not use TF32
  bool float_output = false;                 // whether y is f32
  Activation activation = Activation::kNone;
  // Elements from a row of y to the next; 0 means `out`. If the activation is neither kNone nor
  // kRelu, it must be `out`. It is best if `out` and `y_stride` are multiples of 8, because
  // cuBLASLt's fast kernels store 16 bytes at a time. For an odd `out` cuBLASLt has only old
  // kernels, so pad an odd vocabulary with rows of zeros.
  int64_t y_stride = 0;
  // The row count whose time matters most. The algorithms that cuBLASLt offers for it are tried
  // first.
  int tune_rows = 1024;
  // Gives every row count the algorithm that cuBLASLt estimates to be the best for it, if the test
  // finds that it gives the same bits as the pinned algorithm. The equality of two algorithms is
  // only tested; it does not follow from their code.
  bool per_bucket = false;  // CudaModel sets it from compute capability 8.0 on
  // Gives small row counts the kernel of few_rows.h, on the same condition as `per_bucket`.
  bool few_rows = false;
};

class Linear {
 public:
  // Uses the current device. Borrows `blas` and the device memory of `weight` and `bias` (nullptr:
  // no bias). `buckets` are the row counts that Run may be called with, ascending. Waits for the
  // device. Temporarily allocates device memory for one x and two y of the largest bucket. Returns
  // nullptr and sets `why` if the options do not fit, no algorithm passes, or the device fails.
  // REQUIRES: weight and bias are aligned to 16 bytes and have their final values, because the test
  // uses them.
  static std::unique_ptr<Linear> Create(const Blas* blas, const LinearOptions& options,
                                        const void* weight, const void* bias,
                                        std::span<const int> buckets, std::string* why);
  virtual ~Linear() = default;

  // Computes y for `rows` rows; `rows` is one of the buckets, or 0. An activation other than kRelu
  // is a second kernel, which handles only the first *count rows. `count` is in device memory;
  // nullptr means all rows. `workspace` has Blas::kWorkspaceBytes, and only this stream uses it.
  // REQUIRES: x, y and workspace are aligned to 16 bytes; x and y do not overlap.
  virtual Error Run(Stream stream, void* workspace, const void* x, int64_t rows,
                    const int32_t* count, void* y) const = 0;

  // Returns a description of the pinned algorithm, for the log.
  virtual std::string algorithm() const = 0;

  // Returns the row count from which a second pinned algorithm is used, so that a row may have
  // other bits than with smaller row counts. Returns 0 if there is only one.
  virtual int other_bits_from() const { return 0; }
};

}  // namespace dragoman::kernels::cuda
