// Exponentials by powers of two.
#pragma once

namespace dragoman::kernels {

inline constexpr float kLog2OfE = 1.44269504F;

}  // namespace dragoman::kernels
