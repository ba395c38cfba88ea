// Memory for f32 numbers: weights and the scratch of operations.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace dragoman::kernels::cpu {

struct FreeFloats {
  void operator()(float* p) const { std::free(p); }
};
using FloatBuffer = std::unique_ptr<float, FreeFloats>;

// Returns memory for `count` floats with undefined contents. It is aligned to 64 bytes, and to 2
// MiB if it has at least 2 MiB. Never null. Throws std::bad_alloc.
FloatBuffer AllocateFloats(size_t count);

}  // namespace dragoman::kernels::cpu
