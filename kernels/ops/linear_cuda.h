// y = activation(x W^T + bias) on a device, usually by cuBLASLt with one pinned algorithm.
//
//   x [rows, in], W [out, in] of the compute type; y [rows, out] of the compute type or f32, bias
//   [out] of y's type; row-major, dense except y, whose rows may be y_stride apart
//
// A row's result depends only on that row and the weights. cuBLASLt by itself would choose another
// kernel, and so another order of summation, for another number of rows. So Create pins one
// algorithm without split-K for all row counts and tries it: random rows must have equal bits at
// every place of the matrix and in every row count of `buckets` (kernels/cuda/lt_trial.h). If no
// algorithm passes, Create pins two, one for small and one for large row counts. A row then has
// equal bits within each of the two classes (other_bits_from). If that fails too, Create fails.
//
// The algorithm depends only on the shape, the buckets, the device and cuBLASLt's version: it is
// the first one in cuBLASLt's order that passes. It is not chosen by measured time. Near ties
// differ from run to run, so the last bits of scores would change after a restart, or on the second
// of two GPUs.
//
// Immutable after Create. Any number of threads may Run, each on its own stream and workspace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// A handle of cuBLASLt. One per device.
class Blas {
 public:
  static constexpr int64_t kWorkspaceBytes = int64_t{4} << 20;

  // Creates a handle for the current device. Returns nullptr and sets `why` if cuBLASLt is missing
  // or fails.
  static std::unique_ptr<Blas> Create(std::string* why);
  virtual ~Blas() = default;
};

struct LinearOptions {
  int in = 0;   // a multiple of 8
  int out = 0;  // a multiple of 8 if the activation is neither kNone nor kRelu
  ComputeType type = ComputeType::kFloat32;  // of x and W. f32 is computed in f32: no TF32
  bool float_output = false;                 // y is f32
  Activation activation = Activation::kNone;
  // Elements from a row of y to the next; 0 means `out`. If the activation is neither kNone nor
  // kRelu, it must be `out`. It is best if `out` and `y_stride` are multiples of 8 (pad an odd
  // vocabulary with rows of zeros). cuBLASLt's fast kernels store 16 bytes at a time; for an odd
  // `out` it has only old kernels.
  int64_t y_stride = 0;
  // The row count whose time matters most. The algorithms that cuBLASLt offers for it are tried
  // first.
  int tune_rows = 1024;
  // Gives every row count the algorithm that cuBLASLt estimates best for it, if the trial finds
  // that its bits equal those of the pinned algorithm. This equality is an observation, not a
  // property of one kernel as with the pinned algorithm alone.
  bool per_bucket = false;  // CudaModel sets it from compute capability 8.0 on
  // Gives small row counts the kernel of few_rows.h, on the same condition as `per_bucket`.
  bool few_rows = false;
};

class Linear {
 public:
  // Uses the current device. Borrows `blas` and the device memory of `weight` and `bias` (nullptr:
  // none). `buckets` are the row counts of Run, ascending. Blocks, and temporarily allocates device
  // memory for two y and one x of the largest bucket. Returns nullptr and sets `why` if the options
  // do not fit, no algorithm passes, or the device fails. REQUIRES: weight and bias are aligned to
  // 16 bytes and have their final values, because the trial uses them.
  static std::unique_ptr<Linear> Create(const Blas* blas, const LinearOptions& options,
                                        const void* weight, const void* bias,
                                        std::span<const int> buckets, std::string* why);
  virtual ~Linear() = default;

  // `rows` is one of the buckets, or 0. The product is computed for all rows. An activation other
  // than kRelu is a second pass, which takes rows [0, *count) only (`count`: device memory;
  // nullptr: all rows). `workspace` [Blas::kWorkspaceBytes] belongs to the stream. REQUIRES: x, y
  // and workspace are aligned to 16 bytes; x and y do not overlap.
  virtual Error Run(Stream stream, void* workspace, const void* x, int64_t rows,
                    const int32_t* count, void* y) const = 0;

  // Returns a description of the pinned algorithm, for the log.
  virtual std::string algorithm() const = 0;

  // Returns the smallest row count in which rows may have other bits than in smaller counts; 0:
  // none.
  virtual int other_bits_from() const { return 0; }
};

}  // namespace dragoman::kernels::cuda
