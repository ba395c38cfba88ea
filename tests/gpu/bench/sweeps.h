// What the fused output layer is compared with: bias, softmax and the search for the best as sweeps
// of their own over logits in memory, as toolkits had them (decoding.md b). Only measured, never
// served.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"

namespace dragoman::bench {

// logits [rows, stride] f32 becomes log-probabilities of logits + bias, in four passes (add the
// bias, maximum, sum of exp, normalise); then k passes for the best, each of which blanks what it
// found: token and log_prob [rows, k], best first. All in device memory. maxima, sums: [rows].
cuda::Error SeparateSweeps(cuda::Stream stream, float* logits, int64_t stride, const float* bias,
                           int vocabulary, int64_t rows, int k, float* maxima, float* sums,
                           int32_t* token, float* log_prob);

}  // namespace dragoman::bench
