// y = activation(x W^T + bias) on a device, by cuBLASLt with one pinned algorithm, as a rule.
//
//   x [rows, in], W [out, in] of the compute type; y [rows, out] of the compute type or f32, bias
//   [out] of y's type; row-major, dense but for y, whose rows may lie further apart
//
// A row's result depends on that row and the weights only. cuBLASLt would choose another kernel,
// and so another order of summation, for another number of rows; so one algorithm without split-K
// is pinned for all of them, and Create tries it: random rows must be bit-equal at every place and
// in every row count of `buckets` (kernels/cuda/lt_trial.h). An algorithm that fails is passed
// over. Where none is left, two are pinned, one for small and one for large row counts; then a row
// has its bits in all row counts of its class (other_bits_from). None left for that is an error.
//
// Which algorithm it is depends on the shape, the buckets, the device and cuBLASLt's version alone:
// the first fit one in the order of cuBLASLt's own estimate. It is not the winner of a race, for
// near ties fall differently in every run, and then scores would have other last bits after a
// restart, or on the second of two GPUs.
//
// Immutable after Create; any number of threads may Run, each on its own stream and workspace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// A handle of cuBLASLt. One for a device.
class Blas {
 public:
  static constexpr int64_t kWorkspaceBytes = int64_t{4} << 20;

  // The Blas of the current device. nullptr, and why, where cuBLASLt is missing or refuses.
  static std::unique_ptr<Blas> Create(std::string* why);
  virtual ~Blas() = default;
};

struct LinearOptions {
  int in = 0;                                // a multiple of 8
  int out = 0;                               // a multiple of 8 with GELU or swish
  ComputeType type = ComputeType::kFloat32;  // of x and W. f32 is computed in f32: no TF32
  bool float_output = false;                 // y is f32
  Activation activation = Activation::kNone;
  // Elements from a row of y to the next; 0: out. With GELU or swish it is out. Multiples of 8 of
  // both are wanted, for cuBLASLt's fast kernels store 16 bytes at a time: with an odd `out` it has
  // only old ones, whatever the stride is. So an odd vocabulary should be given rows of zeros.
  int64_t y_stride = 0;
  // The row count whose best algorithm is tried first: where the time is to be gained.
  int tune_rows = 1024;
  // Lets every row count have the algorithm that cuBLASLt thinks best for it, where its bits are
  // those of the pinned one in the trial. Equality is then an observation, no longer what one kernel
  // does by construction.
  bool per_bucket = false;  // CudaModel's from compute capability 8.0 on
  // And a few rows a kernel of our own (few_rows.h), in the same way.
  bool few_rows = false;
};

class Linear {
 public:
  // The device is the current one. `blas` and the device memory of weight and bias (nullptr: none)
  // are borrowed for the object's life; they are aligned to 16 bytes, and hold their numbers
  // already, for the trial uses them. `buckets` are the row counts that Run will be asked for,
  // ascending. Allocates (up to twice y and once x of the largest bucket, given back on return) and
  // waits. nullptr, and why, when the options do not fit, no algorithm is fit or the device failed.
  static std::unique_ptr<Linear> Create(const Blas* blas, const LinearOptions& options,
                                        const void* weight, const void* bias,
                                        std::span<const int> buckets, std::string* why);
  virtual ~Linear() = default;

  // `rows` is one of the buckets, or 0. `count` (device, may be nullptr: all) is for GELU and swish
  // only: rows beyond it are computed all the same. `workspace` [Blas::kWorkspaceBytes] belongs to
  // the stream. REQUIRES: x, y and workspace are aligned to 16 bytes; x and y do not overlap.
  virtual Error Run(Stream stream, void* workspace, const void* x, int64_t rows,
                    const int32_t* count, void* y) const = 0;

  // The algorithm that was pinned, for the log.
  virtual std::string algorithm() const = 0;

  // The least row count whose rows may have other bits than those of smaller ones; 0: there is none.
  virtual int other_bits_from() const { return 0; }
};

}  // namespace dragoman::kernels::cuda
