// The output layer as separate sweeps over materialized logits, which the fused layer replaces, for
// the benchmark. Compiled for this machine with vector exp, to exclude effects of the compiler.
#pragma once

#include <cstdint>

namespace dragoman::bench {

// Turns logits [rows, vocabulary] into log-probabilities. Bias, maximum, sum of exp, normalisation
// and the search for the best k each take a separate sweep. Writes the tokens to best [rows, k] and
// their log-probabilities to scores [rows, k]. Uses one thread. REQUIRES: rows <= 1024.
void SeparateSweeps(float* logits, const float* bias, int64_t rows, int64_t vocabulary, int k,
                    int32_t* best, float* scores);

}  // namespace dragoman::bench
