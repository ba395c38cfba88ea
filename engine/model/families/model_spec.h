// Describes a model as its checkpoint's configuration does: shape, special tokens, defaults of the
// search, limits. A family makes the network from this description. The code that runs the network
// reads only the program (engine/network/program.h).
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

// The largest values that a configuration may have. No model comes near them. They keep later
// arithmetic from overflowing.
inline constexpr int64_t kMaxDim = 1 << 14;
inline constexpr int64_t kMaxFfn = 1 << 16;
inline constexpr int64_t kMaxLayers = 128;
inline constexpr int64_t kMaxHeads = 256;
inline constexpr int64_t kMaxPositions = 1 << 16;

// The value of early_stopping in the checkpoint, which decides when a search ends (SEARCH.md a.7).
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
  // The number of position embeddings. A source or target has at most this many tokens.
  int max_positions = 0;
  int head_dim = 0;  // the width of a head, if d_model / heads does not determine it; else 0
};

// The parameters of T5's position bias, which groups distances into buckets (RelativeBucket in
// families/t5_shape.h).
struct DistanceBuckets {
  int buckets = 0;
  int max_distance = 0;
};

// The fields of the search in generation_config.json or, without this file, in config.json. If
// another field would change the search, the load fails and the error names the field.
struct GenerationDefaults {
  int num_beams = 1;
  float length_penalty = 1.0F;
  EarlyStopping early_stopping = EarlyStopping::kFalse;
  int max_length = 0;             // counts the start token and EOS
  int min_length = 0;             // counts the start token
  std::optional<int> forced_eos;  // forced at the last position, with log-prob 0
  std::optional<int> forced_bos;  // forced at the first position, with log-prob 0
  std::vector<int> not_first;     // never the first token; at most kMaxNotFirst
  // Token sequences that are never produced. None of them is EOS alone.
  std::vector<std::vector<int>> bad_words;
  int no_repeat_ngram = 0;  // 0: off
  float repetition_penalty = 1.0F;
  // Like no_repeat_ngram, for n-grams of the source; 0: off.
  int encoder_no_repeat_ngram = 0;
  // Like repetition_penalty, for the source's tokens; 1: off.
  float encoder_repetition_penalty = 1.0F;
  // The number of hypotheses to return for an item of one segment.
  int num_return_sequences = 1;
  bool renormalize_logits = false;  // log-probs are renormalized after the masks
};

struct ModelSpec {
  std::string family;  // Family::model_type; "transformer" if a layout does not name it
  ModelShape shape;
  float norm_epsilon = 1e-5F;
  kernels::Activation activation = kernels::Activation::kRelu;
  bool gated = false;  // feed-forward layers are gated
  DistanceBuckets distances;
  float embedding_scale = 1.0F;  // factor of the embeddings: sqrt(d_model) or 1
  bool share_embeddings = true;  // one matrix for source and target embedding
  bool tie_output = true;        // the output layer's matrix is the target embedding
  // Matters only if tie_output is set and the checkpoint also stores an output layer with other
  // numbers. True: the stored layer is used, as in transformers 5. False: it is ignored, as in
  // transformers 4.
  bool stored_output_wins = false;
  bool scale_output = false;  // for T5: multiplies the output layer's input by d_model^-0.5
  SpecialIds tokens;
  GenerationDefaults generation;
  // The heads of the last decoder layer whose attention aligns words best: bit h is head h.
  uint64_t alignment_heads = ~uint64_t{0};
  // True: the default of term_placement is ALIGNED.
  bool aligns_terms = false;
  // The model has several networks, so a step computes log-probs instead of logits.
  bool is_ensemble = false;

  // Returns the sizes that the model's vocabularies must fit.
  EmbeddingSizes embedding_sizes() const {
    return {shape.source_vocab, shape.target_vocab, share_embeddings, shape.max_positions};
  }
};

}  // namespace dragoman::engine
