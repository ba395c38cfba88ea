// Claims b1 to b3: the baseline for the fused output layer. Bias, softmax and the search for the
// best tokens are separate sweeps over logits in memory, as toolkits had them (SEARCH.md b: the
// five sweeps of the fused paper's baseline). Only measured, never served.
//
// Bytes per row of V logits: the bias reads and writes 8 V, the maximum reads 4 V, the sum of exp
// reads 4 V, normalising reads and writes 8 V, and each of k searches reads 4 V. The sum is (24 + 4
// k) V. FoldMaterializedLogits reads 4 V, and the fused kernel reads no logits.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Turns logits [rows, stride] f32 into log-probabilities of logits + bias. Then searches k times
// for the best token, each time setting the token found to -inf. token and log_prob [rows, k]: best
// first, ties in favour of the lower token. All arrays are in device memory. maxima, sums: [rows].
//
// REQUIRES: stride is a multiple of 4, stride >= vocabulary >= k > 0; logits and bias are aligned
// to 16 bytes; every row has at least k logits above -inf, and none that is NaN or +inf.
Error SeparateSweeps(Stream stream, float* logits, int64_t stride, const float* bias,
                     int vocabulary, int64_t rows, int k, float* maxima, float* sums,
                     int32_t* token, float* log_prob);

}  // namespace dragoman::kernels::cuda
