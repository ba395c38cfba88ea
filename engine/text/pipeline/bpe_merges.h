// Byte pair encoding by a list of merges. Repeatedly merges two neighbouring symbols: the pair that
// is earliest in the list and, if it occurs more than once, its leftmost occurrence. Stops if no
// pair of neighbours is in the list. SentencePiece's BPE merges by the scores of pieces instead
// (sentence_piece.h).
//
// Sennrich et al. 2016. Merges in the same order as the tokenizers library (models/bpe/word.rs,
// 0.22).
//
// Thread-safety: const after construction. Units: bytes.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/text/subword_model.h"

namespace dragoman::engine {

struct BpeMerge {
  int32_t left = 0;  // ids of pieces
  int32_t right = 0;
  int32_t merged = 0;
};

class BpeMerges {
 public:
  BpeMerges() = default;
  // `merges` is in order of priority. If a pair occurs twice, the later entry counts.
  explicit BpeMerges(std::span<const BpeMerge> merges);

  // Merges neighbours in place. Takes O(n log n) time for n symbols.
  void Apply(std::vector<PieceSpan>* symbols) const;

 private:
  struct Target {
    int32_t rank = 0;
    int32_t id = 0;
  };
  const Target* Find(int32_t left, int32_t right) const;

  std::unordered_map<uint64_t, Target> targets_;
};

}  // namespace dragoman::engine
