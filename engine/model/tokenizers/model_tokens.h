// The token ids and embedding sizes on which a model's network and tokenizer must agree.
//
// Plain values.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::engine {

// The most tokens of a vocabulary. Far above any model; keeps later arithmetic within bounds.
inline constexpr int64_t kMaxVocabulary = 1 << 21;

struct SpecialIds {
  int eos = 0;                // the tokenizer's; also ends the source; the only one that is forced
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
