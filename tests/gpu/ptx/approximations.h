// The functions that a card only approximates. The ISA bounds their errors and leaves the bits open: these
// are correctly rounded or next to it, so a card's results differ in the last bits.
#pragma once

namespace dragoman::ptx {

// Subnormal numbers as zeros of their sign: .ftz, of operands and results.
float FlushSubnormal(float x);

// ex2.approx.f32: 2^x. The ISA: relative error at most 2^-22; -inf gives +0, +inf +inf, NaN NaN.
float PowerOfTwo(float x);

// rcp.approx.ftz.f32: 1 / x. The ISA: at most 1 ulp; zeros and subnormals give infinities of their sign.
float Reciprocal(float x);

}  // namespace dragoman::ptx
