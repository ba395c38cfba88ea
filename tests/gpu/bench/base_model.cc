#include "tests/gpu/bench/base_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/model/families/family.h"

namespace dragoman::bench {
engine::ModelSpec BaseSpec(int vocabulary) {
  engine::ModelSpec spec;
  spec.family = "marian";
  engine::ModelShape& s = spec.shape;
  s.d_model = 512;
  s.encoder_layers = s.decoder_layers = 6;
  s.encoder_heads = s.decoder_heads = 8;
  s.encoder_ffn = s.decoder_ffn = 2048;
  s.source_vocab = s.target_vocab = vocabulary;
  s.max_positions = 512;
  spec.activation = kernels::Activation::kSwish;
  spec.embedding_scale = std::sqrt(512.0F);
  spec.tokens.eos = 0;
  spec.tokens.unk = 1;
  spec.tokens.pad = spec.tokens.decoder_start = vocabulary - 1;
  spec.generation.num_beams = 4;
  spec.generation.max_length = 512;
  return spec;
}

engine::Program ProgramOf(const engine::ModelSpec& spec) {
  return engine::FindFamily(spec.family)->make(spec)->program;
}

// Returns numbers about as large as trained weights, so that sums of products stay near 1.
engine::WeightValues RandomWeights(const engine::Program& program) {
  std::mt19937 random(1);
  engine::WeightValues values;
  for (const engine::Weight& weight : program.weights) {
    std::vector<float>& numbers = values.emplace_back(static_cast<size_t>(weight.elements()));
    if (weight.role == engine::WeightRole::kNormGain) std::ranges::fill(numbers, 1.0F);
    if (weight.role == engine::WeightRole::kNormGain ||
        weight.role == engine::WeightRole::kNormBias)
      continue;
    const int64_t inputs = weight.rows > 1 ? weight.cols : 512;
    const float scale = std::sqrt(3.0F / static_cast<float>(inputs)) / static_cast<float>(1U << 31);
    for (float& x : numbers) x = static_cast<float>(static_cast<int32_t>(random())) * scale;
  }
  return values;
}

}  // namespace dragoman::bench
