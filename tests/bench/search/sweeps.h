// The output layer's work as separate sweeps over materialized logits, which the fused layer replaces:
// for the benchmark only. Compiled for the machine at hand, with vector exp, so that it is not the
// compiler that is measured.
#pragma once

#include <cstdint>

namespace dragoman::bench {

// logits [rows, vocabulary] become log-probabilities: bias, maximum, sum of exp, normalise, and a
// search of the best k, each in a sweep of its own. best [rows, k] takes the tokens, scores [rows,
// k] their log-probabilities. REQUIRES: rows <= 1024; one thread.
void SeparateSweeps(float* logits, const float* bias, int64_t rows, int64_t vocabulary, int k,
                    int32_t* best, float* scores);

}  // namespace dragoman::bench
