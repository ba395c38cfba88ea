// Attention of one row in double, as the reference for every implementation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/base/relative_bias.h"

namespace dragoman::kernels {

struct Heads {
  int heads;
  int head_dim;
};

// Returns the weights of one head: softmax(q k^T / sqrt(head_dim) + bias). k has rows of all heads.
// `position` is the query's position among the rows of k.
inline std::vector<double> AttentionWeights(const float* q, const std::vector<const float*>& k,
                                            int head, int head_dim, const RelativeBias& bias = {},
                                            int64_t position = 0) {
  std::vector<double> scores;
  for (const float* row : k) {
    double dot = 0.0;
    for (int i = head * head_dim; i < (head + 1) * head_dim; ++i) dot += double(q[i]) * row[i];
    const auto distance = static_cast<int64_t>(scores.size()) - position;
    scores.push_back(dot / std::sqrt(double(head_dim)) +
                     (bias.table == nullptr ? 0.0 : *bias.At(head, distance)));
  }
  const double max = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0;
  for (double& s : scores) sum += s = std::exp(s - max);
  for (double& s : scores) s /= sum;
  return scores;
}

// Returns softmax(q k^T / sqrt(head_dim) + bias) v for one row. k and v are rows of
// heads * head_dim.
inline std::vector<double> Attend(const float* q, const std::vector<const float*>& k,
                                  const std::vector<const float*>& v, Heads shape,
                                  const RelativeBias& bias = {}, int64_t position = 0) {
  std::vector<double> out(size_t(shape.heads) * shape.head_dim, 0.0);
  for (int h = 0; h < shape.heads; ++h) {
    const auto weights = AttentionWeights(q, k, h, shape.head_dim, bias, position);
    for (size_t p = 0; p < v.size(); ++p) {
      for (int i = h * shape.head_dim; i < (h + 1) * shape.head_dim; ++i) {
        out[size_t(i)] += weights[p] * v[p][i];
      }
    }
  }
  return out;
}

// A random bias for each head and each distance below `positions`: before the query only (`sides`
// 1), or on both sides of it (`sides` 2).
class RandomBias {
 public:
  RandomBias(int heads, int64_t positions, int sides, uint32_t seed)
      : columns_(sides * positions - (sides - 1)),
        zero_(positions - 1),
        table_(static_cast<size_t>(heads * columns_)) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0.0F, 1.0F);
    for (float& value : table_) value = normal(generator);
  }

  RelativeBias View() const { return {table_.data(), columns_, zero_}; }
  const std::vector<float>& table() const { return table_; }

 private:
  const int64_t columns_;
  const int64_t zero_;
  std::vector<float> table_;
};

}  // namespace dragoman::kernels
