// y = activation(x W^T + bias) on a device, usually by cuBLASLt with one pinned algorithm.
//
//   x [rows, in], W [out, in] of the compute type; y [rows, out] of the compute type or f32, bias
//   [out] of y's type; row-major, dense except y, whose rows may be y_stride apart
//
// A row's result depends only on that row and the weights. cuBLASLt would choose another kernel,
// and so another order of summation, for another number of rows. So Create pins one algorithm
// without split-K for all row counts and tries it: random rows must be bit-equal at every place and
// in every row count of `buckets` (kernels/cuda/lt_trial.h). If no algorithm passes, two are
// pinned, one for small and one for large row counts; a row then has the same bits within each
// class (other_bits_from). Otherwise Create fails.
//
// The algorithm depends only on the shape, the buckets, the device and cuBLASLt's version: it is
// the first fit one in cuBLASLt's order. It is not chosen by time, because near ties differ from
// run to run: the last bits of scores would change after a restart, or on the second of two GPUs.
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

  // Serves the current device. Returns nullptr and sets `why` if cuBLASLt is missing or fails.
  static std::unique_ptr<Blas> Create(std::string* why);
  virtual ~Blas() = default;
};

struct LinearOptions {
  int in = 0;                                // a multiple of 8
  int out = 0;                               // a multiple of 8 with GELU or swish
  ComputeType type = ComputeType::kFloat32;  // of x and W. f32 is computed in f32: no TF32
  bool float_output = false;                 // y is f32
  Activation activation = Activation::kNone;
  // Elements from a row of y to the next; 0: out. With GELU or swish it must be out. Make `out` and
  // `y_stride` multiples of 8 (pad an odd vocabulary with rows of zeros): cuBLASLt's fast kernels
  // store 16 bytes at a time, and with an odd `out` it has only old ones.
  int64_t y_stride = 0;
  // The row count whose best algorithm is tried first: the one whose time matters most.
  int tune_rows = 1024;
  // Gives every row count the algorithm that cuBLASLt estimates best for it, if its bits equal the
  // pinned one's in the trial. Equality is then an observation, not a property of one kernel.
  bool per_bucket = false;  // CudaModel sets it from compute capability 8.0 on
  // Gives a few rows the kernel of few_rows.h, on the same condition.
  bool few_rows = false;
};

class Linear {
 public:
  // Uses the current device. Borrows `blas` and the device memory of weight and bias (nullptr:
  // none), which are aligned to 16 bytes and already have their values for the trial. `buckets` are
  // the row counts of Run, ascending. Temporarily allocates up to twice y and once x of the largest
  // bucket, and blocks. Returns nullptr and sets `why` if the options do not fit, no algorithm is
  // fit or the device fails.
  static std::unique_ptr<Linear> Create(const Blas* blas, const LinearOptions& options,
                                        const void* weight, const void* bias,
                                        std::span<const int> buckets, std::string* why);
  virtual ~Linear() = default;

  // `rows` is one of the buckets, or 0. `count` (device memory; nullptr: all) affects only GELU and
  // swish; rows after it are computed all the same. `workspace` [Blas::kWorkspaceBytes] belongs to
  // the stream. REQUIRES: x, y and workspace are aligned to 16 bytes; x and y do not overlap.
  virtual Error Run(Stream stream, void* workspace, const void* x, int64_t rows,
                    const int32_t* count, void* y) const = 0;

  // Returns the pinned algorithm, for the log.
  virtual std::string algorithm() const = 0;

  // Returns the smallest row count whose rows may have other bits than smaller ones; 0: none.
  virtual int other_bits_from() const { return 0; }
};

}  // namespace dragoman::kernels::cuda
