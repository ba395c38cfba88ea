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

// Returns memory with undefined contents, aligned to 64 bytes (2 MiB if it is that large). Never
// null. Throws std::bad_alloc.
FloatBuffer AllocateFloats(size_t count);

}  // namespace dragoman::kernels::cpu
