// The values that a model's network and its tokenizer must agree on: the ids of the special tokens
// and the sizes of the embeddings. A tokenizer knows no more of its network.
//
// Plain values.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::engine {

// The most tokens of a vocabulary: far above any model, it keeps later arithmetic within bounds.
inline constexpr int64_t kMaxVocabulary = 1 << 21;

struct SpecialIds {
  int eos = 0;                // the tokenizer's: it also ends the source, and it alone is forced
  std::vector<int> more_eos;  // other ids that end an output; at most kMaxMoreEos
  int unk = 0;
  int pad = 0;
  int decoder_start = 0;
};

struct EmbeddingSizes {
  int source = 0;      // rows of the source's embedding; rows after the vocabulary's have no piece
  int target = 0;      // rows of the target's
  bool shared = true;  // one embedding for both sides
  int positions = 0;   // the longest source, in tokens
};

}  // namespace dragoman::engine
