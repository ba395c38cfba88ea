// kNoToken is an id that is not a token. It differs from all ids of a vocabulary and from -1, the
// token whose embedding is zeros (kernels/ops/embed.h).
#pragma once

#include <cstdint>

namespace dragoman::kernels {

inline constexpr int32_t kNoToken = -2;

}  // namespace dragoman::kernels
