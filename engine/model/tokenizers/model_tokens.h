// The token ids and embedding sizes on which a model's network and tokenizer must agree.
//
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::engine {

// The maximum size of a vocabulary. No model comes near it. The limit keeps later arithmetic from
// overflowing.
inline constexpr int64_t kMaxVocabulary = 1 << 21;

struct SpecialIds {
  // The tokenizer's EOS. It also ends a source, and only this id may be forced at the end of an
  // output.
  int eos = 0;
  std::vector<int> more_eos;  // further ids that end an output; at most kMaxMoreEos
  int unk = 0;
  int pad = 0;
  int decoder_start = 0;
};

struct EmbeddingSizes {
  int source = 0;      // rows of the source's embedding; may be more than the vocabulary has pieces
  int target = 0;      // rows of the target's embedding
  bool shared = true;  // whether both sides have one embedding
  int positions = 0;   // the longest source, in tokens
};

}  // namespace dragoman::engine
