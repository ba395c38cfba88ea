// Memory of f32 numbers: weights, and the scratch of operations.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace dragoman::kernels::cpu {

struct FreeFloats {
  void operator()(float* p) const { std::free(p); }
};
using FloatBuffer = std::unique_ptr<float, FreeFloats>;

// Aligned to 64 bytes (2 MiB when it is that large); contents undefined. Never null.
FloatBuffer AllocateFloats(size_t count);

}  // namespace dragoman::kernels::cpu
