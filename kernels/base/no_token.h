// The id of no token. It has no embedding, not even zero as -1 has (kernels/ops/embed.h).
#pragma once

#include <cstdint>

namespace dragoman::kernels {

inline constexpr int32_t kNoToken = -2;

}  // namespace dragoman::kernels
