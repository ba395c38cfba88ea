// Byte pair encoding by a list of merges: among all neighbours the pair that is earliest in the
// list is merged, the leftmost of equal ones first, until no pair is in the list. (SentencePiece's
// BPE merges by the scores of pieces: sentence_piece.h.)
//
// Sennrich et al. 2016; the order is that of the tokenizers library (models/bpe/word.rs, 0.22).
//
// Thread-safety: const after construction. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace dragoman::engine {

struct BpeMerge {
  int32_t left = 0;  // ids of pieces
  int32_t right = 0;
  int32_t merged = 0;
};

struct PieceSpan {
  int32_t id = 0;
  int32_t begin = 0;
  int32_t end = 0;
};

class BpeMerges {
 public:
  BpeMerges() = default;
  // `merges` are in their order; of a pair that occurs twice the later counts.
  explicit BpeMerges(std::span<const BpeMerge> merges);

  // Merges neighbours, in place. n log n of the symbols.
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
