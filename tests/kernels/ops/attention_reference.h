// Attention of one row, in double: what every implementation is held against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace dragoman {

struct Heads {
  int heads;
  int head_dim;
};

// Weights of one head: softmax(q k^T / sqrt(head_dim)); k are rows of all heads.
inline std::vector<double> AttentionWeights(const float* q, const std::vector<const float*>& k,
                                            int head, int head_dim) {
  std::vector<double> scores;
  for (const float* row : k) {
    double dot = 0.0;
    for (int i = head * head_dim; i < (head + 1) * head_dim; ++i) dot += double(q[i]) * row[i];
    scores.push_back(dot / std::sqrt(double(head_dim)));
  }
  const double max = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0;
  for (double& s : scores) sum += s = std::exp(s - max);
  for (double& s : scores) s /= sum;
  return scores;
}

// softmax(q k^T / sqrt(head_dim)) v of one row; k and v are rows of heads * head_dim.
inline std::vector<double> Attend(const float* q, const std::vector<const float*>& k,
                                  const std::vector<const float*>& v, Heads shape) {
  std::vector<double> out(size_t(shape.heads) * shape.head_dim, 0.0);
  for (int h = 0; h < shape.heads; ++h) {
    const auto weights = AttentionWeights(q, k, h, shape.head_dim);
    for (size_t p = 0; p < v.size(); ++p) {
      for (int i = h * shape.head_dim; i < (h + 1) * shape.head_dim; ++i) {
        out[size_t(i)] += weights[p] * v[p][i];
      }
    }
  }
  return out;
}

}  // namespace dragoman
