// The constant that turns powers of e into powers of 2: e^x = 2^(x * kLog2OfE).
#pragma once

namespace dragoman::kernels {

inline constexpr float kLog2OfE = 1.44269504F;

}  // namespace dragoman::kernels
