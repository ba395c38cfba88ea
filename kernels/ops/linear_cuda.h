// y = activation(x W^T + bias + beta_c * c) on a device, by cuBLASLt with one pinned algorithm.
//
//   x [rows, in], W [out, in], bias [out], y [rows, out], row-major, dense; x, W and bias of the
//   compute type, y of the compute type or f32
//
// A row's result depends on that row and the weights only. cuBLASLt may choose another kernel, and
// so another order of summation, for another number of rows; so one algorithm without split-K is
// pinned for all of them, and Create tries it: random rows must be bit-equal in every row count of
// `buckets`. An algorithm that fails is passed over, and none left is an error.
//
// Immutable after Create; any number of threads may Run, each on its own stream and workspace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/cuda/launch.h"
#include "kernels/ops/activation.h"
#include "kernels/ops/compute_type.h"

namespace dragoman::cuda {

// A handle of cuBLASLt and what it may use. One for a device.
class Blas;

struct LinearOptions {
  int in = 0;
  int out = 0;
  ComputeType type = ComputeType::kFloat32;  // of x and W. f32 is computed in f32: no TF32
  bool float_output = false;                 // y is f32
  Activation activation = Activation::kNone;
  bool bias = false;
};

class Linear {
 public:
  // The device is the current one. weight, bias: device memory, borrowed for the object's life;
  // bias may be nullptr. `buckets` are the row counts that Run will be asked for, ascending.
  // Allocates and waits. nullptr, and why, when no algorithm is fit or the device failed.
  static std::unique_ptr<Linear> Create(const Blas* blas, const LinearOptions& options,
                                        const void* weight, const void* bias,
                                        std::span<const int> buckets, std::string* why);
  virtual ~Linear() = default;

  // `count` (device, may be nullptr: all) is for the activation only: rows beyond it are computed
  // all the same. `workspace` [Blas::kWorkspaceBytes] belongs to the stream.
  virtual Error Run(Stream stream, void* workspace, const void* x, int64_t rows,
                    const int32_t* count, void* y) const = 0;

  // What was pinned, for the log.
  virtual std::string algorithm() const = 0;
};

class Blas {
 public:
  static constexpr int64_t kWorkspaceBytes = int64_t{4} << 20;

  // For the current device. nullptr, and why, where cuBLASLt is missing or refuses.
  static std::unique_ptr<Blas> Create(std::string* why);
  virtual ~Blas() = default;
};

}  // namespace dragoman::cuda
