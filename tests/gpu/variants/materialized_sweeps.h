// Claims b1 to b3: what the fused output layer is compared with. Bias, softmax and the search for
// the best as sweeps of their own over logits in memory, as toolkits had them (SEARCH.md b: the
// five sweeps of the fused paper's baseline). Only measured, never served.
//
// Bytes per row of V logits: the bias reads and writes 8 V, the maximum reads 4 V, the sum of exp
// reads 4 V, normalising reads and writes 8 V, each of k searches reads 4 V: (24 + 4 k) V, where
// FoldMaterializedLogits reads 4 V and the fused kernel nothing.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// logits [rows, stride] f32 becomes log-probabilities of logits + bias; then k passes for the best,
// each of which sets what it found to -inf: token and log_prob [rows, k], best first, ties by the
// lower token. All in device memory. maxima, sums: [rows].
//
// REQUIRES: stride is a multiple of 4, stride >= vocabulary >= k > 0; logits and bias are aligned
// to 16 bytes; every row has k logits above -inf, and none that is NaN or +inf.
Error SeparateSweeps(Stream stream, float* logits, int64_t stride, const float* bias,
                     int vocabulary, int64_t rows, int k, float* maxima, float* sums,
                     int32_t* token, float* log_prob);

}  // namespace dragoman::kernels::cuda
