// An id that no token has, and that does not stand for a zero embedding either (-1; kernels/ops/embed.h).
#pragma once

#include <cstdint>

namespace dragoman::kernels {

inline constexpr int32_t kNoToken = -2;

}  // namespace dragoman::kernels
