#include "tests/bench/search/sweeps.h"

#include <cmath>

namespace dragoman::bench {
namespace {

// Inserts logits into a sorted list. Most logits are rejected by a single comparison, which is made
// for 16 logits at once.
void Search(const float* x, int64_t vocabulary, int k, int32_t* best, float* scores) {
  for (int i = 0; i < k; ++i) scores[i] = -3.4e38F;
  int64_t at = 0;
  for (; at < vocabulary; at += 16) {
    const int64_t end = at + 16 < vocabulary ? at + 16 : vocabulary;
    int above = 0;
    for (int64_t v = at; v < end; ++v) above += x[v] > scores[k - 1] ? 1 : 0;
    if (above == 0) continue;
    for (int64_t v = at; v < end; ++v) {
      if (!(x[v] > scores[k - 1])) continue;
      int place = k - 1;
      for (; place > 0 && scores[place - 1] < x[v]; --place) {
        scores[place] = scores[place - 1];
        best[place] = best[place - 1];
      }
      scores[place] = x[v];
      best[place] = static_cast<int32_t>(v);
    }
  }
}

}  // namespace

void SeparateSweeps(float* logits, const float* bias, int64_t rows, int64_t vocabulary, int k,
                    int32_t* best, float* scores) {
  // Every sweep goes over the whole matrix, as separate kernels do.
  for (int64_t r = 0; r < rows; ++r) {
    float* x = logits + r * vocabulary;
    for (int64_t v = 0; v < vocabulary; ++v) x[v] += bias[v];
  }
  constexpr int64_t kMaxRows = 1024;
  static float shift[kMaxRows];
  for (int64_t r = 0; r < rows; ++r) {
    const float* x = logits + r * vocabulary;
    float max = x[0];
    for (int64_t v = 1; v < vocabulary; ++v) max = x[v] > max ? x[v] : max;
    shift[r] = max;
  }
  for (int64_t r = 0; r < rows; ++r) {
    const float* x = logits + r * vocabulary;
    const float max = shift[r];
    float sum = 0;
    for (int64_t v = 0; v < vocabulary; ++v) sum += std::exp(x[v] - max);
    shift[r] = max + std::log(sum);
  }
  for (int64_t r = 0; r < rows; ++r) {
    float* x = logits + r * vocabulary;
    for (int64_t v = 0; v < vocabulary; ++v) x[v] -= shift[r];
  }
  for (int64_t r = 0; r < rows; ++r) {
    Search(logits + r * vocabulary, vocabulary, k, best + r * k, scores + r * k);
  }
}

}  // namespace dragoman::bench
