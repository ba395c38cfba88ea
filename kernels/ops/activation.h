// Activations of the feed-forward layers.
#pragma once

#include "kernels/cuda/launch.h"
#include "kernels/ops/compute_type.h"

namespace dragoman {

enum class Activation {
  kNone,
  kRelu,
  kGelu,   // exact: x * (1 + erf(x / sqrt 2)) / 2
  kSwish,  // x * sigmoid(x)
};

namespace cuda {

// In place on x [rows, n] of the compute type, at most `count` rows (nullptr: all); the others keep
// what they hold. For those activations that no epilogue of cuBLASLt computes as they are defined
// here. REQUIRES: n is a multiple of 8, x aligned to 16 bytes.
Error Activate(Stream stream, ComputeType type, Activation activation, int64_t rows,
               const int32_t* count, int n, void* x);

}  // namespace cuda
}  // namespace dragoman
