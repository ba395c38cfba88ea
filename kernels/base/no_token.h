// An id that equals no token: no token of a vocabulary, nor -1, the token with an embedding of
// zeros (kernels/ops/embed.h).
#pragma once

#include <cstdint>

namespace dragoman::kernels {

inline constexpr int32_t kNoToken = -2;

}  // namespace dragoman::kernels
