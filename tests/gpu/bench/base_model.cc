#include "tests/gpu/bench/base_model.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace dragoman::bench {
namespace {

// Numbers about as large as trained ones: sums of `inputs` products stay near 1.
class Draw {
 public:
  std::vector<float> Numbers(int64_t count, int inputs) {
    const float scale = std::sqrt(3.0F / static_cast<float>(inputs)) / static_cast<float>(1U << 31);
    std::vector<float> numbers(static_cast<size_t>(count));
    for (float& x : numbers) x = static_cast<float>(static_cast<int32_t>(random_())) * scale;
    return numbers;
  }
  Matrix Of(int rows, int cols) { return {rows, cols, Numbers(int64_t{rows} * cols, cols)}; }
  LinearWeights Product(int out, int in) { return {Of(out, in), Numbers(out, in)}; }
  AttentionWeights Attention(int d) {
    return {Product(d, d), Product(d, d), Product(d, d), Product(d, d)};
  }

 private:
  std::mt19937 random_{1};
};

NormWeights Norm(int d) {
  return {std::vector<float>(static_cast<size_t>(d), 1.0F),
          std::vector<float>(static_cast<size_t>(d), 0.0F)};
}

}  // namespace

ModelSpec BaseSpec(int vocabulary) {
  ModelSpec spec;
  spec.family = "marian";
  ModelShape& s = spec.shape;
  s.d_model = 512;
  s.encoder_layers = s.decoder_layers = 6;
  s.encoder_heads = s.decoder_heads = 8;
  s.encoder_ffn = s.decoder_ffn = 2048;
  s.source_vocab = s.target_vocab = vocabulary;
  s.max_positions = 512;
  spec.activation = Activation::kSwish;
  spec.embedding_scale = std::sqrt(512.0F);
  spec.tokens.eos = 0;
  spec.tokens.unk = 1;
  spec.tokens.pad = spec.tokens.decoder_start = vocabulary - 1;
  spec.generation.num_beams = 4;
  spec.generation.max_length = 512;
  return spec;
}

TransformerWeights RandomWeights(const ModelSpec& spec) {
  const ModelShape& s = spec.shape;
  Draw draw;
  TransformerWeights w;
  w.source_embedding = draw.Of(s.source_vocab, s.d_model);
  w.output_bias = draw.Numbers(s.target_vocab, s.d_model);
  w.encoder_positions = SinusoidalPositions(s.max_positions, s.d_model);
  w.decoder_positions = w.encoder_positions;
  for (int i = 0; i < s.encoder_layers; ++i) {
    w.encoder.push_back({draw.Attention(s.d_model), Norm(s.d_model),
                         draw.Product(s.encoder_ffn, s.d_model),
                         draw.Product(s.d_model, s.encoder_ffn), Norm(s.d_model)});
  }
  for (int i = 0; i < s.decoder_layers; ++i) {
    w.decoder.push_back({draw.Attention(s.d_model), Norm(s.d_model), draw.Attention(s.d_model),
                         Norm(s.d_model), draw.Product(s.decoder_ffn, s.d_model),
                         draw.Product(s.d_model, s.decoder_ffn), Norm(s.d_model)});
  }
  return w;
}

}  // namespace dragoman::bench
