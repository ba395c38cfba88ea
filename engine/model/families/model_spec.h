// The description of a model from its checkpoint's configuration: shape, special tokens, defaults
// of the search, limits. A family makes the network from it. The code that runs the network reads
// the program (engine/network/program.h) instead.
//
// Plain values, immutable once loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/tokenizers/model_tokens.h"
#include "kernels/base/activation.h"

namespace dragoman::engine {

// The largest shapes of a configuration, far above any model. They bound later arithmetic.
inline constexpr int64_t kMaxDim = 1 << 14;
inline constexpr int64_t kMaxFfn = 1 << 16;
inline constexpr int64_t kMaxLayers = 128;
inline constexpr int64_t kMaxHeads = 256;
inline constexpr int64_t kMaxPositions = 1 << 16;

// The checkpoint's early_stopping: when generation ends (SEARCH.md a.7).
enum class EarlyStopping { kTrue, kFalse, kNever };

struct ModelShape {
  int d_model = 0;
  int encoder_layers = 0;
  int decoder_layers = 0;
  int encoder_heads = 0;
  int decoder_heads = 0;
  int encoder_ffn = 0;
  int decoder_ffn = 0;
  int source_vocab = 0;
  int target_vocab = 0;
  int max_positions = 0;  // rows of the position table: the longest source or target in tokens
  int head_dim = 0;       // set if it may differ from d_model / heads; else 0
};

// The buckets of a position bias by distance (RelativeBucket in families/t5_network.h).
struct DistanceBuckets {
  int buckets = 0;
  int max_distance = 0;
};

// The fields of generation_config.json or, without this file, of config.json. All other fields of
// the search must hold their neutral value, or loading fails with the name of the field.
struct GenerationDefaults {
  int num_beams = 1;
  float length_penalty = 1.0F;
  EarlyStopping early_stopping = EarlyStopping::kFalse;
  int max_length = 0;                       // counts the start token and EOS
  int min_length = 0;                       // counts the start token
  std::optional<int> forced_eos;            // forced at the last position, with log-prob 0
  std::optional<int> forced_bos;            // forced at the first position, with log-prob 0
  std::vector<int> not_first;               // never the first token; at most kMaxNotFirst
  std::vector<std::vector<int>> bad_words;  // sequences that are never produced, without EOS
  int no_repeat_ngram = 0;                  // 0: off
  float repetition_penalty = 1.0F;
  int encoder_no_repeat_ngram = 0;          // for n-grams of the source; 0: off
  float encoder_repetition_penalty = 1.0F;  // for the source's tokens; 1: off
  int num_return_sequences = 1;             // hypotheses of an item of one segment
  bool renormalize_logits = false;          // log-probs are renormalized after the masks
};

struct ModelSpec {
  std::string family;  // Family::model_type; "transformer" if a layout does not name it
  ModelShape shape;
  float norm_epsilon = 1e-5F;
  kernels::Activation activation = kernels::Activation::kRelu;
  bool gated = false;  // feed-forward layers are gated
  DistanceBuckets distances;
  float embedding_scale = 1.0F;  // sqrt(d_model), or 1
  bool share_embeddings = true;  // one matrix for source and target embedding
  bool tie_output = true;        // the output layer's matrix is the target embedding
  // Matters only with tie_output, if the checkpoint stores an output layer with other numbers.
  // True: it is used, as in transformers 5. False: it is ignored, as in transformers 4.
  bool stored_output_wins = false;
  bool scale_output = false;  // T5's: multiplies the output layer's input by d_model^-0.5
  SpecialIds tokens;
  GenerationDefaults generation;
  bool is_ensemble = false;  // several networks: a step gives log-probs and no logits

  // The sizes that the model's tokenizer must fit.
  EmbeddingSizes embedding_sizes() const {
    return {shape.source_vocab, shape.target_vocab, share_embeddings, shape.max_positions};
  }
};

}  // namespace dragoman::engine
