#include "engine/model/weights.h"

#include <cmath>
#include <cstddef>

namespace dragoman {
namespace {

int64_t Count(const Matrix& matrix) { return static_cast<int64_t>(matrix.data.size()); }

int64_t Count(const LinearWeights& linear) {
  return Count(linear.weight) + static_cast<int64_t>(linear.bias.size());
}

int64_t Count(const NormWeights& norm) {
  return static_cast<int64_t>(norm.gamma.size() + norm.beta.size());
}

int64_t Count(const AttentionWeights& attention) {
  return Count(attention.query) + Count(attention.key) + Count(attention.value) +
         Count(attention.output);
}

}  // namespace

Matrix SinusoidalPositions(int positions, int d_model) {
  Matrix table{.rows = positions, .cols = d_model};
  table.data.resize(static_cast<size_t>(positions) * static_cast<size_t>(d_model));
  const int half = d_model / 2;
  float* row = table.data.data();
  for (int position = 0; position < positions; ++position, row += d_model) {
    for (int i = 0; i < half; ++i) {
      const double angle = position / std::pow(10000.0, 2.0 * i / d_model);
      row[i] = static_cast<float>(std::sin(angle));
      row[half + i] = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

int64_t ParameterCount(const TransformerWeights& weights) {
  int64_t count = Count(weights.source_embedding) + Count(weights.target_embedding) +
                  Count(weights.output) + static_cast<int64_t>(weights.output_bias.size());
  for (const EncoderLayerWeights& layer : weights.encoder) {
    count += Count(layer.self) + Count(layer.self_norm) + Count(layer.ffn_up) +
             Count(layer.ffn_down) + Count(layer.ffn_norm);
  }
  for (const DecoderLayerWeights& layer : weights.decoder) {
    count += Count(layer.self) + Count(layer.self_norm) + Count(layer.cross) +
             Count(layer.cross_norm) + Count(layer.ffn_up) + Count(layer.ffn_down) +
             Count(layer.ffn_norm);
  }
  return count;
}

}  // namespace dragoman
